"""A function and a point in; the forward and the backward pass at it out, step by step, as `derive` made them and `run` ran them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..derive import places
from ..derive.conditions import gate
from ..derive.recorded import backward_turns, recorded, turns
from ..graph import Expr
from ..ops.arithmetic import select
from ..ops.structured import call_, loop_, out_
from ..program import compile as compiled
from ..run.point import trace as ran
from .events import Events
from .formulas import Slope
from .naming import program_name
from .passes import Backward, Forward, Passes, Turn
from .steps import Written, steps
from .unguarded import unguarded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..derive.recorded import Recorded, Share
    from ..diagnostics import Span
    from ..graph import Fn
    from ..report import Value
    from .events import Event
    from .formulas import Formula

NOT_RUN = "not run"
INF = float("inf")
LONGEST_PIECE = 60  # characters of source in a remark


def passes(fn: Fn, values: Mapping[str, Value], wrt: Sequence[str], most: int | None = None) -> Passes:
    """Both passes at a point; of more than `most` steps or shares the first and the last ones."""
    return Telling(recorded(unguarded(fn, values, wrt), wrt), values, most).told(wrt)


class Telling:
    """What ran: `at` tells the value of an expression of the recorded graph."""

    def __init__(self, made: Recorded, values: Mapping[str, Value], most: int | None) -> None:
        self.made, self.values, self.most, self.steps = made, values, most, steps(made)
        self.graph, self.shown, self.events = made.graph, made.run(()), Events(made, self.steps)
        self.written: dict[int, Written] = {}
        self.at: dict[int, Value] = {}
        self.first: dict[int, Event] = {}
        self.last: dict[int, Event] = {}
        self.viewed: set[int] = set()
        self.looped: set[tuple[str, int]] = set()

    def told(self, wrt: Sequence[str]) -> Passes:
        """The passes, in the order in which they ran."""
        made, order = self.made, [i for i in self.steps.order if not self.steps.isinput(i)]
        events = self.events.all()
        seed = made.cotangents[made.value.id][0]
        self._run(
            [seed, *[made.condition(self.events.giver(e)) for e in events], *[given[1] for e in events if (given := self.events.given(e))]]
        )
        events = [e for e in events if self.events.giver(e) in self.at and self._holds(made.condition(self.events.giver(e)))]
        self.first = {self.events.to(e): e for e in reversed(events)}
        self.last = {self.events.to(e): e for e in events if self._counts(e)}
        self.viewed = {self.events.to(e) for e in events if self.events.via(e) is not None or e.more}
        told = [kept(order, self.most), kept(events, self.most)]
        self._run([*self._asked_forward(told[0]), *self._asked_backward(told[1])])
        sums: dict[int, Value] = {}
        return Passes(
            tuple([(name, self.values[name]) for name, _ in made.params]),
            tuple([None if i is None else self._forward(i) for i in told[0]]),
            (self.steps.names.get(made.value.id, ""), self.at[made.value.id]), self.at[seed.id],
            tuple([None if e is None else self._backward(e, sums) for e in told[1]]),
            tuple([(name, self.at[e.id]) for name, e in zip(wrt, made.slopes, strict=True)]),
            len(order), len(events), self.shown,
        )  # fmt: skip

    def _run(self, asked: Iterable[Expr | None]) -> None:
        """Run the value, the gradient and what else is asked for."""
        fn = self.made.run(asked)
        found, where = ran(compiled(fn), self.values), places(fn)
        self.at |= {i: found[where[i]] for i in range(len(fn.nodes)) if where[i] in found}

    def _holds(self, condition: Expr | None) -> bool:
        """Whether a condition holds, somewhere; one that was not asked does not."""
        if condition is None:
            return True
        value = self.at.get(condition.id, False)
        return bool(value.any()) if hasattr(value, "any") else bool(value)

    def _asked_forward(self, order: Sequence[int | None]) -> Iterable[Expr | None]:
        for i in order:
            if i is not None and i in self.at:
                yield self._kink(i)
                node = self.graph.nodes[i]
                if node.op is out_ and node.args[0] in self.at:
                    yield from [e for _, e in turns(self.made, node.args[0])]

    def _asked_backward(self, events: Sequence[Event | None]) -> Iterable[Expr | None]:
        for event in events:
            if event is not None and event.share is not None:
                share, given = event.share, self.events.given(event)
                yield self._kink(share.node)
                yield given and gate(given)
                yield gate(share.total)
                yield gate(self.made.cotangents[self.events.to(event)])
                yield None if self.events.via(event) or self.events.giver(event) in self.steps.wholes else self.made.partial(share)
                if self._looped(event) is not None and self._counts(event):
                    yield from [e for _, e in backward_turns(self.made, share)]

    def _kink(self, i: int) -> Expr | None:
        """Whether the point is on a kink of a node."""
        op, args, attr, _ = self.graph.nodes[i]
        if op.kink is None:
            return None
        given = [Expr(self.graph, j) for j in args]
        return self.graph.lift(op.kink(*given) if attr is None else op.kink(*given, attr))

    def _step(self, i: int) -> Written:
        root = self.steps.owner[i]
        if root not in self.written:
            self.written[root] = Written(self.steps, root)
        return self.written[root]

    def _forward(self, i: int) -> Forward:
        node, name = self.graph.nodes[i], self.steps.names[i]
        source = node.args[0] if node.op is out_ else i
        given = tuple([self.steps.names[j] for j in self.steps.arguments(source)])
        told = self._turns(turns(self.made, source), source) if node.op is out_ else ()
        operation = self._loop(i, told) if node.op is out_ else self._step(i).operation()
        told = () if ("ahead", source) in self.looped else told
        self.looped.add(("ahead", source))
        whole = self.steps.wholes.get(i)
        op = whole.name if whole else "loop" if node.op is out_ else node.attr.name if node.op is call_ else node.op.name
        return Forward(name, operation, op, given, self.at.get(i), self._remark(i), self._span(i), told)

    def _loop(self, i: int, told: Sequence[Turn]) -> str:
        called = program_name(self.shown, i)
        if self.graph.nodes[i].attr == self.graph.nodes[self.graph.nodes[i].args[0]].attr.trips:
            return "the number of turns of the loop"
        site = self.graph.sites[i]
        turn = f"{len(told):,} turn{'s' * (len(told) != 1)}" if told else f"the loop{' of the derivative' * bool(site and site.order)}"
        return f"{called} after {turn}" if called and called != self.steps.names[i] else f"after {turn} of the loop" if told else turn

    def _turns(self, parts: Sequence[tuple[int, Expr]], source: int) -> tuple[Turn, ...]:
        """The turns of a loop, told with the first of its results."""
        body = self.graph.nodes[source].attr
        named = [(body.fn.names[k], self.at[e.id]) for k, e in parts if k < body.nc and e.id in self.at and body.fn.names[k].isidentifier()]
        count = len(named[0][1]) if named else 0
        return tuple([Turn(t + 1, tuple([(name, each[t]) for name, each in named])) for t in range(count)])

    def _remark(self, i: int) -> str:
        node, site = self.graph.nodes[i], self.graph.sites[i]
        if i not in self.at:
            return NOT_RUN
        parts = [f"in the derivative of {on_a_line(site.span.text)}"] if site and site.order else []
        if node.op is select and isinstance(self.at.get(node.args[0]), bool):
            parts.append(self._taken(i))
        kink = self._kink(i)
        if kink is not None and self._holds(kink):
            parts.append("on a kink or a jump")
        return "; ".join(parts)

    def _taken(self, i: int) -> str:
        p, a, b = self.graph.nodes[i].args
        holds = self.at[p]
        taken = self.steps.names.get(a if holds else b)
        return f"{self.steps.names.get(p, 'the condition')} is {str(holds).lower()}" + (f": {taken} is taken" if taken else "")

    def _backward(self, event: Event, sums: dict[int, Value]) -> Backward:
        j, share, counts, before = self.events.to(event), event.share, self._counts(event), sums.get(self.events.to(event))
        given = self.events.given(event)
        amount = self._value(gate(given)) if given and counts else self._nothing(j)
        if share is not None and counts:
            sums[j] = self._sum(event, share, before, amount)
        total = sums.setdefault(j, amount)
        rule, local, partial = self._rule(event, counts=counts)
        return Backward(
            self.steps.names.get(self.steps.owner[event.node], "the loop"), self.steps.names[j], rule, local, partial,
            amount, before, total, counts,
            self.first.get(j) is event, self._why(event, counts=counts), self._span(self.steps.owner[event.node]), self._back(event),
        )  # fmt: skip

    def _nothing(self, j: int) -> Value:
        """The cotangent 0 of a node."""
        import numpy as np

        shape = self.graph.nodes[j].type.shape
        return np.zeros(shape) if shape else 0.0

    def _sum(self, event: Event, share: Share, before: Value | None, amount: Value) -> Value:
        """The sum so far, as the sweep has it; where views are passed over, which it adds up first, it has the last one."""
        j = self.events.to(event)
        if j not in self.viewed:
            return self._value(gate(share.total))
        if self.last[j] is event:
            return self._value(gate(self.made.cotangents[j]))
        return amount if before is None else before + amount

    def _counts(self, event: Event) -> bool:
        given = self.events.given(event)
        return given is not None and self._holds(given[1])

    def _back(self, event: Event) -> tuple[Turn, ...]:
        """The turns of a loop on the way back, told with its first share."""
        root = self._looped(event)
        if event.share is None or root is None or ("back", root) in self.looped or not self._counts(event):
            return ()
        self.looped.add(("back", root))
        return self._turns(backward_turns(self.made, event.share), root)

    def _looped(self, event: Event) -> int | None:
        """The loop that a share comes from, if it comes from one."""
        root = self.steps.owner[event.node]
        return root if self.graph.nodes[root].op is loop_ else None

    def _rule(self, event: Event, *, counts: bool) -> tuple[Formula | Slope | str, Formula | None, Value | None]:
        """How a share is made, and the local partial with its value; at a kink only the value tells it."""
        root = self.steps.owner[event.node]
        if self._looped(event) is not None or event.share is None:
            return "" if self._looped(event) is None else "back through the loop", None, None
        name, to, via = self.steps.names[root], self.steps.names[self.events.to(event)], self.events.via(event)
        step = self._step(event.node)
        if root in self.steps.wholes:
            rule = self._of_textbook(event, step) if counts else None
            return rule or Slope(name, to), step.factor(rule), None
        if via is not None:
            return step.share(via, 0) or Slope(name, to), None, None
        partial = self._value(self.made.partial(event.share)) if counts else None
        kink = self._kink(event.node)
        if counts and kink is not None and self._holds(kink):
            return (step.times(partial) if isinstance(partial, float) else Slope(name, to)), None, partial
        return step.share(event.node, event.place) or Slope(name, to), step.partial(event.node, event.place), partial

    def _of_textbook(self, event: Event, step: Written) -> Formula | str | None:
        """The rule of a call, where its value is finite: rules say nothing of what is not."""
        value = self.at[self.events.giver(event)]
        finite = bool(abs(value).max(initial=0) < INF) if hasattr(value, "max") else abs(value) < INF
        return step.textbook(self.events.to(event)) if finite else None

    def _value(self, e: Expr | None) -> Value | None:
        return None if e is None else self.at.get(e.id)

    def _why(self, event: Event, *, counts: bool) -> str:
        """What is to be said of a share: by whose rule it is, or why there is none."""
        node = self.graph.nodes[event.node]
        if node.op is call_:
            return f"by the rule of {node.attr.name}" if counts else f"the rule of {node.attr.name} gives nothing here"
        if counts:
            return self._chosen(event)
        whole = self.steps.wholes.get(self.events.giver(event))
        if event.share is None:
            name = whole.name if whole else node.op.name
            return f"{name} hands nothing on: a structural zero" if node.op.infix is None else "nothing flows here: a structural zero"
        return "not selected: a structural zero"

    def _chosen(self, event: Event) -> str:
        """What is to be said of a share on a kink: which of the slopes it is."""
        kink = self._kink(event.node)
        if kink is None or not self._holds(kink) or self.events.giver(event) in self.steps.wholes or event.share is None:
            return ""
        partial = self._value(self.made.partial(event.share))
        if isinstance(partial, float):
            return f"on a kink: {partial:.4g} is chosen between the slopes"
        return "on a kink in some entries: there it is between the slopes"

    def _span(self, i: int) -> Span | None:
        site = self.graph.sites[i]
        return site.span if site else None


def on_a_line(text: str) -> str:
    """The first line of a piece of source, cut where it is long."""
    first, more, _ = text.strip().partition("\n")
    return f"{first[:LONGEST_PIECE].rstrip()}…" if more or len(first) > LONGEST_PIECE else first


def kept(items: Sequence[Any], most: int | None) -> list[Any]:
    """The items, or the first and the last of them with None between where there are more than `most`."""
    if most is None or len(items) <= most:
        return list(items)
    last = most // 2
    return [*items[: most - last], None, *items[len(items) - last :]]
