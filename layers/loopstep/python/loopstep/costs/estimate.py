"""The cheapest and the dearest run of a plan that ends by itself and in which no node fails.

inside out: what follows a node is known before the node; of several ways the one that costs least, or most
a loop's body as often as it runs, a region with all its parts; states as the emitted machine has them
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from loopstep.compiler.emit import emit
from loopstep.compiler.emit_choice import by_reply
from loopstep.compiler.program import Exit, FanOut, Program, Step
from loopstep.costs import activations
from loopstep.costs.activations import Assumptions
from loopstep.costs.prices import dollars
from loopstep.costs.work import Work

_RACE = 3  # `<join>.arrive` or `.lost`, `.decided`, `.idle` or `.stop`
_NONE = Work()


class Estimate(NamedTuple):
    """One run each."""

    cheapest: Work
    dearest: Work


def estimate(program: Program, assumed: Assumptions = Assumptions()) -> Estimate:  # noqa: B008
    """What a run of the program takes, by the way that costs least and by the way that costs most."""
    return Estimate(_Ways(program, assumed, False).run(), _Ways(program, assumed, True).run())


def state_names(machine: dict[str, Any]) -> Iterator[str]:
    """The names of all states of a machine, those inside its regions too."""
    for name, state in machine["States"].items():
        yield name
        for part in [*state.get("Branches", ()), *([state["ItemProcessor"]] if "ItemProcessor" in state else ())]:
            yield from state_names(part)


class _Ways:
    def __init__(self, program: Program, assumed: Assumptions, dearest: bool) -> None:
        self._program, self._assumed, self._dearest = program, assumed, dearest
        self._states = frozenset(state_names(emit(program)))
        self._joins = {region.join: region for region in program.fan_outs.values()}
        self._behind: dict[str, Work] = {}  # from entering a node to the end of the part, round or machine it is in

    def run(self) -> Work:
        for step in self._inside_out():
            self._behind[step.id] = self._from(step)
        work = activations.started(self._program, self._assumed).plus(self._behind[self._program.entry])
        return work.plus(activations.ended(work, self._assumed))

    # -- the order ---------------------------------------------------------------------------------------------------

    def _inside_out(self) -> Iterator[Step]:
        """Every step behind all that it leads to. No recursion: a plan may have a thousand nodes in a row."""
        done: set[str] = set()
        open_ = [self._program.entry]
        while open_:
            step = self._program.steps[open_[-1]]
            ahead = [each for each in self._ahead(step) if each not in done]
            if ahead and step.id not in done:
                open_ += ahead
                continue
            open_.pop()
            if step.id not in done:
                done.add(step.id)
                yield step

    def _ahead(self, step: Step) -> list[str]:
        exits = (exit_ for exits in by_reply(step).values() for exit_ in exits)
        targets = [exit_.target for exit_ in exits if not self._ends(step, exit_)]
        region = self._program.fan_outs.get(step.id)
        return [*targets, region.join] if region else targets

    def _ends(self, step: Step, exit_: Exit) -> bool:
        """Whether an edge ends the part or the round that the step, or what its port opens, stands in."""
        target = self._program.steps[exit_.target]
        around = any(each.node == target.id for each in step.enclosing)
        return target.id == step.id or (target.counts and around) or target.id in self._joins

    def _pick(self, ways: Iterator[Work]) -> Work:
        return (max if self._dearest else min)(ways, key=dollars, default=_NONE)

    def _count(self, given: int | None, most: int) -> int:
        if given is not None:
            return min(given, most)
        return most if self._dearest else 0

    # -- one step ----------------------------------------------------------------------------------------------------

    def _from(self, step: Step) -> Work:
        own = self._own(step)
        if step.fail_code is not None:
            return own.plus(self._failed_end(step))
        region = self._program.fan_outs.get(step.id)
        if region is not None:
            return own.plus(self._region(step, region), self._behind[region.join])
        if step.counts:
            return self._loop(step, own)
        return own.plus(self._pick(self._port(step, port) for port in by_reply(step)))

    def _own(self, step: Step) -> Work:
        states = 1 + sum(f"{step.id}.{what}" in self._states for what in ("wait", "next"))
        return activations.activation(self._program, step, self._assumed).plus(Work(states=states))

    def _failed_end(self, step: Step) -> Work:
        """Its Fail; in a race, that the part is lost."""
        chain = [each for each in step.enclosing if each.kind != "loop"]
        if chain and self._program.fan_outs[chain[-1].node].mode != "all":
            return activations.invoked(self._assumed).plus(
                activations.arrived(self._program, "any"), Work(states=_RACE)
            )
        return Work(states=1)

    def _port(self, step: Step, port: str) -> Work:
        return self._pick(self._edge(step, exit_) for exit_ in step.exits.get(port, ()))

    def _edge(self, step: Step, exit_: Exit, chooses: bool | None = None) -> Work:
        if not self._ends(step, exit_):
            return self._behind[exit_.target]
        region = self._joins.get(exit_.target)
        if region is None or exit_.target == step.id:
            return _NONE
        work = activations.arrived(self._program, region.mode)
        if region.mode != "all":
            return work.plus(activations.invoked(self._assumed), Work(states=_RACE))
        if chooses is None:
            chooses = f"{step.id}.next" in self._states
        return work.plus(Work(states=int(chooses)))  # a Choice cannot end a part, a Pass does

    # -- loops and regions -------------------------------------------------------------------------------------------

    def _loop(self, step: Step, own: Work) -> Work:
        rounds = self._count(self._assumed.rounds, step.spec["loop"]["max"])
        body = own.plus(self._port(step, "body")).times(rounds)
        after = self._pick(self._port(step, port) for port in by_reply(step) if port != "body")
        return own.plus(body, after)

    def _region(self, step: Step, region: FanOut) -> Work:
        parts = [self._part(step, part, number) for number, part in enumerate(region.parts)]
        race = _NONE
        if region.mode != "all":
            race = activations.decided()
            if not self._dearest:  # the first that arrives may be all that there is time for
                parts = [self._pick(iter(parts)), *(_NONE for _ in parts[1:])]
        if region.kind == "branches":
            inner = _NONE.plus(*parts)
            choices = len(parts) if f"{step.id}.branch" in self._states else 0
            return race.plus(inner, Work(states=1 + choices))
        items = self._count(self._assumed.items, region.max_items)
        inner = parts[0].times(items if race == _NONE or self._dearest else min(items, 1))
        if not region.distributed:
            return race.plus(inner, Work(states=1))
        if not items:
            return race.plus(Work(states=1))
        return race.plus(inner, Work(states=2 + items, puts=4, gets=2))  # list of items, results; a Pass an item

    def _part(self, step: Step, part: str, number: int) -> Work:
        begins = f"{step.id}.part.{number}"
        if begins not in self._states:
            return self._port(step, part)
        chooses = f"{begins}.next" in self._states
        own = activations.invoked(self._assumed).plus(Work(states=1 + chooses, reads=4))
        return own.plus(self._pick(self._first(step, exit_, chooses) for exit_ in step.exits[part]))

    def _first(self, step: Step, exit_: Exit, chooses: bool) -> Work:
        """A part's first edge; one straight into the join is recorded by itself, under the checks of all regions."""
        checks = activations.checks(step, 1) if exit_.target in self._joins else 0
        return self._edge(step, exit_, chooses).plus(Work(writes=checks))
