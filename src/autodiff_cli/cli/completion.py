"""A shell's name in, its completion script out: commands, options and functions inside expressions, all from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .options import OPTIONS, spellings
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable

BASH = r"""# autodiff: completion for bash. Use: source <(autodiff completion bash)
_autodiff() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options= formats= files= word before name
  local functions="@functions@"
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "@commands@ --help --version" -- "$cur"))
    return
  fi
  case ${COMP_WORDS[1]} in
@options@    *) return;;
  esac
  # bash takes @ and = for words of their own.
  if [[ $cur == @* || $prev == @ ]]; then
    COMPREPLY=($(compgen -P @ -f -- "${cur#@}"))
    return
  fi
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $prev in
    --format) COMPREPLY=($(compgen -W "$formats" -- "$cur")); return;;
@values@  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  if [[ ${COMP_WORDS[1]} == functions ]]; then
    COMPREPLY=($(compgen -W "$functions" -- "$cur"))
    return
  fi
  cur=${cur#[\"\']}
  word=${cur##*[!A-Za-z0-9_]}
  before=${cur%"$word"}
  if [[ -n $word && $before != *. ]]; then
    for name in $functions; do
      [[ $name == "$word"* ]] && COMPREPLY+=("$before$name(")
    done
  fi
  if [[ -n $files ]]; then
    local found=($(compgen -f -- "$cur"))
    COMPREPLY+=("${found[@]}")
    (( ${#found[@]} )) && return
  fi
  (( ${#COMPREPLY[@]} )) || return
  compopt -o nospace 2>/dev/null
  # With a single answer bash would close the quote; a second one keeps it open.
  (( ${#COMPREPLY[@]} == 1 )) && COMPREPLY+=("${COMPREPLY[0]})")
}
complete -F _autodiff autodiff
"""
ZSH = r"""#compdef autodiff
# autodiff: completion for zsh. Use: source <(autodiff completion zsh)
_autodiff() {
  local -a functions options formats
  local files=
  functions=(@functions@)
  if (( CURRENT == 2 )); then
    compadd -- @commands@ --help --version
    return
  fi
  case ${words[2]} in
@options@    *) return 1;;
  esac
  if [[ $PREFIX == @* ]]; then
    compset -P @
    _files
    return
  fi
  case ${words[CURRENT-1]} in
    --format) compadd -- $formats; return;;
@values@  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $options
    return
  fi
  if [[ ${words[2]} == functions ]]; then
    compadd -- $functions
    return
  fi
  [[ -n $files ]] && _files
  [[ $PREFIX == *.[A-Za-z0-9_]# ]] && return
  compset -P '*[^A-Za-z0-9_]'
  [[ -n $PREFIX ]] && compadd -S '(' -- $functions
}
compdef _autodiff autodiff
"""
FISH = r"""# autodiff: completion for fish. Use: autodiff completion fish | source
function __autodiff_functions
  set -l token (string trim --left --chars='"\'' -- (commandline -ct))
  if string match -q -- '@*' $token
    for found in (__fish_complete_path (string sub --start 2 -- $token))
      echo "@"(string split --fields 1 \t -- $found)
    end
    return
  end
  string match -q -- '--*' $token; and return
  set -l word (string match -r '[A-Za-z0-9_]+$' -- $token)
  test -n "$word"; or return
  set -l before (string sub --length (math (string length -- $token) - (string length -- $word)) -- $token)
  string match -q -- '*.' $before; and return
  set -l found (string match -- "$word*" @functions@)
  # With a single answer fish would close the quote; a second one keeps it open.
  test (count $found) -eq 1; and echo "$before$found()"
  for name in $found
    echo "$before$name("
  end
end
complete -c autodiff -f
complete -c autodiff -n __fish_use_subcommand -a '@commands@'
complete -c autodiff -n __fish_use_subcommand -l help -s h -d 'Show this help.'
complete -c autodiff -n __fish_use_subcommand -l version -s V -d 'Show the version.'
complete -c autodiff -n '__fish_seen_subcommand_from functions' -a '@functions@'
complete -c autodiff -n '__fish_seen_subcommand_from @expressions@' -a '(__autodiff_functions)'
complete -c autodiff -n '__fish_seen_subcommand_from @rows@' -F
@options@"""
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
FILES = ("o", "data", "history")  # the options whose value is a file
ROWS = [name for name, command in COMMANDS.items() if "data" in command.options]
EXPRESSIONS = [name for name, command in COMMANDS.items() if command.takes.startswith("EXPRESSION")]


def script(shell: str) -> str:
    """What the shell reads."""
    from ..ops import FUNCTIONS

    parts = {
        "functions": " ".join(sorted(FUNCTIONS)),
        "commands": " ".join(COMMANDS),
        "expressions": " ".join(EXPRESSIONS),
        "rows": " ".join(ROWS),
    }
    if shell == "fish":
        parts["options"] = "".join(_fish())
    elif shell == "bash":
        parts["options"] = "".join(_commands('"{}"'))
        parts["values"] = "".join(
            _values('COMPREPLY=($(compgen -W "{}" -- "$cur")); return', 'COMPREPLY=($(compgen -f -- "$cur")); return', "return")
        )
    else:
        parts["options"] = "".join(_commands("({})"))
        parts["values"] = "".join(_values("compadd -- {}; return", "_files; return", "return"))
    text = SHELLS[shell]
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _commands(words: str) -> Iterable[str]:
    """For each command, its options and formats, and whether files can stand after it."""
    for name, command in COMMANDS.items():
        spelled = " ".join([text for option in command.options for text in spellings(option)])
        yield f"    {name}) options={words.format(spelled)} formats={words.format(' '.join(command.formats))} files={'1' if name in ROWS else ''};;\n"


def _values(words: str, files: str, nothing: str) -> Iterable[str]:
    """What can stand after an option that takes a value, or after a command that takes no expression."""
    for name, option in OPTIONS.items():
        if option.metavar and name != "format":
            answer = words.format(" ".join(option.choices)) if option.choices else files if name in FILES else nothing
            yield f"    {'|'.join(spellings(name))}) {answer};;\n"
    yield f"    completion) {words.format(' '.join(SHELLS))};;\n"


def _fish() -> Iterable[str]:
    for command, described in COMMANDS.items():
        for name in described.options:
            option = OPTIONS[name]
            flags = " ".join([f"-l {text[2:]}" if text.startswith("--") else f"-s {text[1:]}" for text in spellings(name)])
            choices = described.formats if name == "format" else option.choices
            value = (
                f" -x -a '{' '.join(choices)}'"
                if choices
                else " -r -F"
                if name in FILES
                else " -x -a '(__autodiff_functions)'"
                if name == "set"
                else " -x"
                if option.metavar
                else ""
            )
            yield f"complete -c autodiff -n '__fish_seen_subcommand_from {command}' {flags}{value} -d {_quoted(option.help)}\n"
    yield f"complete -c autodiff -n '__fish_seen_subcommand_from completion' -a '{' '.join(SHELLS)}'\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
