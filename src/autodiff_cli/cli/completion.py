"""A shell's name in, its completion script out: commands, options and functions inside expressions, all from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .options import OPTIONS, spellings
from .table import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable

BASH = r"""# autodiff: completion for bash. Use: source <(autodiff completion bash)
_autodiff() {
  local cur=${COMP_WORDS[COMP_CWORD]} options= word before name
  local functions="@functions@"
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "@commands@ --help --version" -- "$cur"))
    return
  fi
  case ${COMP_WORDS[COMP_CWORD-1]} in
@values@  esac
  if [[ $cur == -* ]]; then
    case ${COMP_WORDS[1]} in
@options@    esac
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
  if [[ -n $word ]]; then
    for name in $functions; do
      [[ $name == "$word"* ]] && COMPREPLY+=("$before$name(")
    done
  fi
  (( ${#COMPREPLY[@]} )) || { COMPREPLY=($(compgen -f -- "$cur")); return; }
  compopt -o nospace 2>/dev/null
  # With a single answer bash would close the quote; a second one keeps it open.
  (( ${#COMPREPLY[@]} == 1 )) && COMPREPLY+=("${COMPREPLY[0]})")
}
complete -F _autodiff autodiff
"""
ZSH = r"""#compdef autodiff
# autodiff: completion for zsh. Use: source <(autodiff completion zsh)
_autodiff() {
  local -a functions options
  functions=(@functions@)
  if (( CURRENT == 2 )); then
    compadd -- @commands@ --help --version
    return
  fi
  case ${words[CURRENT-1]} in
@values@  esac
  if [[ $PREFIX == -* ]]; then
    case ${words[2]} in
@options@    esac
    compadd -- $options
    return
  fi
  if [[ ${words[2]} == functions ]]; then
    compadd -- $functions
    return
  fi
  compset -P '*[^A-Za-z0-9_]'
  if [[ -n $PREFIX ]] && compadd -S '(' -- $functions; then return; fi
  _files
}
compdef _autodiff autodiff
"""
FISH = r"""# autodiff: completion for fish. Use: autodiff completion fish | source
function __autodiff_functions
  set -l token (string trim --left --chars='"\'' -- (commandline -ct))
  set -l word (string match -r '[A-Za-z0-9_]+$' -- $token)
  test -n "$word"; or return
  set -l before (string sub --length (math (string length -- $token) - (string length -- $word)) -- $token)
  set -l found (string match -- "$word*" @functions@)
  # With a single answer fish would close the quote; a second one keeps it open.
  test (count $found) -eq 1; and echo "$before$found()"
  for name in $found
    echo "$before$name("
  end
end
complete -c autodiff -n __fish_use_subcommand -f -a '@commands@'
complete -c autodiff -n '__fish_seen_subcommand_from functions' -f -a '@functions@'
complete -c autodiff -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from functions' -a '(__autodiff_functions)'
@options@"""
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def script(shell: str) -> str:
    """What the shell reads."""
    from ..ops import FUNCTIONS

    parts = {"functions": " ".join(sorted(FUNCTIONS)), "commands": " ".join(COMMANDS)}
    if shell == "fish":
        parts["options"] = "".join(_fish())
    elif shell == "bash":
        parts["options"] = "".join([f'      {name}) options="{_spelled(name)}";;\n' for name in COMMANDS])
        parts["values"] = "".join(_values('COMPREPLY=($(compgen -W "{}" -- "$cur")); return', 'COMPREPLY=($(compgen -f -- "$cur")); return'))
    else:
        parts["options"] = "".join([f"      {name}) options=({_spelled(name)});;\n" for name in COMMANDS])
        parts["values"] = "".join(_values("compadd -- {}; return", "_files; return"))
    text = SHELLS[shell]
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _spelled(command: str) -> str:
    return " ".join([text for name in COMMANDS[command].options for text in spellings(name)])


def _choices() -> Iterable[tuple[str, list[str]]]:
    """What can stand after an option, or after a command that takes no expression."""
    formats = dict.fromkeys([name for command in COMMANDS.values() for name in command.formats])
    for name, option in OPTIONS.items():
        found = list(formats) if name == "format" else list(option.choices)
        if found:
            yield spellings(name)[0], found
    yield "completion", list(SHELLS)


def _values(words: str, files: str) -> Iterable[str]:
    for option, choices in _choices():
        yield f"    {option}) {words.format(' '.join(choices))};;\n"
    yield f"    -o|--data) {files};;\n"


def _fish() -> Iterable[str]:
    for command, described in COMMANDS.items():
        for name in described.options:
            flags = " ".join([f"-l {text[2:]}" if text.startswith("--") else f"-s {text[1:]}" for text in spellings(name)])
            value = " -r" if OPTIONS[name].metavar else ""
            yield f"complete -c autodiff -n '__fish_seen_subcommand_from {command}' {flags}{value} -d {_quoted(OPTIONS[name].help)}\n"
    for option, choices in _choices():
        if option.startswith("--"):
            yield f"complete -c autodiff -l {option[2:]} -x -a '{' '.join(choices)}'\n"
    yield f"complete -c autodiff -n '__fish_seen_subcommand_from completion' -f -a '{' '.join(SHELLS)}'\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
