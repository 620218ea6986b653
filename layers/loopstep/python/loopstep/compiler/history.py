"""How many history events one execution of a plan may write, at most (LANGUAGE §10, `limit.history`).

AWS ends an execution that has 25,000. Counted as AWS writes them: what a state enters and leaves with, what a Task
schedules, starts and hears, every try that the plan declares, and for a Map two events an item. Tries that Lambda's own
faults cost are not counted: the limit for a warning leaves room for them.

    the longest way through the graph; a loop's body as often as it may run, a region with all its parts

Children of a Distributed Map have histories of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loopstep.compiler.emit_choice import BY_CATCH, by_reply
from loopstep.compiler.program import Exit, FanOut, Program, Step

EXECUTION = 2  # ExecutionStarted, ExecutionSucceeded
STATE = 2  # entered, exited: Choice, Pass, Wait; what every other state has too
TASK = STATE + 3  # TaskScheduled, TaskStarted, TaskSucceeded
SUBMITTED = 1  # under a task token: TaskSubmitted
TRY = 3  # another TaskScheduled, TaskStarted, and the TaskFailed before it
REGION = STATE + 2  # ParallelStateStarted, …Succeeded; MapStateStarted, …Succeeded
ITEM = 2  # MapIterationStarted, …Succeeded
DISTRIBUTED = REGION + 2 + STATE  # MapRunStarted, …Succeeded, and the Choice before it
CLOSING = TASK + 1  # `run.failed`, or a failed end: its Task and the Fail
RACE = TASK + STATE + STATE  # `<join>.arrive` or `.lost`, `.decided`, `.idle`
PARALLEL_BRANCHES = 8  # more run as a Map over their names, each behind a Choice


class Histories(NamedTuple):
    """Events of the run's own execution, and of one child by the fan_out whose items have one each.

    `loops` and `regions` are what a loop or fan_out adds to the history that it stands in, by node id.
    """

    run: int
    children: Mapping[str, int]
    loops: Mapping[str, int]
    regions: Mapping[str, int]


def histories(program: Program) -> Histories:
    """The most events of each execution. The distributed fan_outs are those that the Program says."""
    return _Count(program).result()


class _Count:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._joins = {region.join: region for region in program.fan_outs.values()}
        self._events: dict[str, int] = {}
        self._children: dict[str, int] = {}
        self._loops: dict[str, int] = {}
        self._regions: dict[str, int] = {}

    def result(self) -> Histories:
        for step in self._inside_out():
            self._events[step.id] = self._from(step)
        run = EXECUTION + self._events[self._program.entry] + CLOSING
        return Histories(run, self._children, self._loops, self._regions)

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
        targets = [exit_.target for exits in step.exits.values() for exit_ in exits if not self._ends(step, exit_)]
        region = self._program.fan_outs.get(step.id)
        return [*targets, region.join] if region else targets

    def _ends(self, step: Step, exit_: Exit) -> bool:
        """Whether an edge ends the part or the iteration that the step, or what its port opens, stands in."""
        if exit_.target == step.id:
            return True
        target = self._program.steps[exit_.target]
        if target.counts and any(each.node == target.id for each in step.enclosing):
            return True
        region = self._joins.get(exit_.target)
        return region is not None

    # -- one step --------------------------------------------------------------------------------------------------

    def _from(self, step: Step) -> int:
        """Events from entering a step to the end of the part, iteration or machine that it stands in."""
        own = self._own(step)
        failed = max((self._port(step, port) + TASK + STATE for port in BY_CATCH if port in step.exits), default=0)
        if step.fail_code is not None:
            return own + RACE
        if step.id in self._program.fan_outs:
            region = self._program.fan_outs[step.id]
            return own + max(self._region(step, region) + self._events[region.join], failed)
        if step.counts:
            return max(self._loop(step, own), failed + self._rounds(step, own))
        return own + max(max((self._port(step, port) for port in by_reply(step)), default=0), failed)

    def _own(self, step: Step) -> int:
        tries = (step.retry.max_attempts - 1) * (TRY + (SUBMITTED if step.wait else 0)) if step.retry else 0
        events = TASK + tries + (SUBMITTED if step.wait else 0) + (STATE if step.pauses else 0)
        ports = by_reply(step)
        chooses = len(ports) > 1 or any(len(exits) > 1 or exits[0].condition for exits in ports.values())
        return events + (STATE if chooses and step.id not in self._program.fan_outs else 0)

    def _port(self, step: Step, port: str) -> int:
        return max((self._edge(step, exit_) for exit_ in step.exits.get(port, ())), default=0)

    def _edge(self, step: Step, exit_: Exit) -> int:
        if not self._ends(step, exit_):
            return self._events[exit_.target]
        region = self._joins.get(exit_.target)
        if region is None:
            return 0
        return STATE if region.mode == "all" else RACE

    # -- loops and regions -----------------------------------------------------------------------------------------

    def _rounds(self, step: Step, own: int) -> int:
        most: int = step.spec["loop"]["max"]
        events = most * (own + self._port(step, "body")) + own
        self._loops[step.id] = events
        return events

    def _loop(self, step: Step, own: int) -> int:
        after = max((self._port(step, port) for port in by_reply(step) if port != "body"), default=0)
        return self._rounds(step, own) + after

    def _region(self, step: Step, region: FanOut) -> int:
        parts = [self._part(step, region, part) for part in region.parts]
        if region.kind == "branches":
            each = ITEM + STATE if len(parts) > PARALLEL_BRANCHES else 0
            events = REGION + sum(parts) + each * len(parts)
        elif region.distributed:
            self._children[step.id] = EXECUTION + STATE + parts[0]
            events = DISTRIBUTED
        else:
            events = REGION + region.max_items * (ITEM + parts[0])
        self._regions[step.id] = events
        return events

    def _part(self, step: Step, region: FanOut, part: str) -> int:
        exits = step.exits[part]
        begins = len(exits) > 1 or exits[0].condition is not None or exits[0].target == region.join
        lost = RACE if region.mode != "all" else STATE
        return self._port(step, part) + (TASK + STATE if begins else 0) + lost
