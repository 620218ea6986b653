"""What one activation asks of table, bucket, bus and Lambda (ARCHITECTURE §3, §4), where nothing goes wrong.

Units of DynamoDB: a transaction takes two write units an item, checks included; an index takes one an entry that comes,
two one that moves. Items are taken as small: up to 1 KB written, up to 4 KB read.
"""

from __future__ import annotations

from typing import NamedTuple

from loopstep.compiler.program import Program, Step
from loopstep.costs.work import Work

WRITE = 2  # an item, or a check, in a transaction
INDEX = 1
FENCES = 16  # runs.keys: a plan with regions has as many fence items a run, and guards a decided race
NODE_MEMORY = 0.5  # GB; template.yaml
API_MEMORY = 1.0


class Demand(NamedTuple):
    """What a node type adds to reading and recording an activation; `own` is what it writes beside its record."""

    attempts: bool = False  # each is recorded before it acts
    models: bool = False
    memory: float = NODE_MEMORY
    own: Work = Work()  # immutable


_MODEL = Demand(attempts=True, models=True)
_AGENT = Demand(attempts=True, models=True, memory=1.0)
_PLAIN = Demand()
DEMANDS = {
    "llm": _MODEL,
    "condition": _MODEL,
    "agent": _AGENT,
    "skill": _AGENT,
    "smart_action": _AGENT,
    "knowledge_retrieval": Demand(attempts=True, memory=1.0),
    "send_message": Demand(attempts=True, own=Work(writes=WRITE + INDEX, events=1, items=1)),
    "request_approval": Demand(attempts=True),
    "set_variable": Demand(own=Work(writes=WRITE)),
}


class Assumptions(NamedTuple):
    """What a plan does not say. Seconds that a function is billed for; items and rounds None: as the plan declares."""

    seconds: float = 0.03  # of a node function, warm
    api_seconds: float = 0.1  # of the API's function
    model_seconds: float = 5.0  # that a node waits for its models
    items: int | None = None
    rounds: int | None = None


def started(program: Program, assumed: Assumptions) -> Work:
    """A run is started by the API: its request, the plan's version, and head, state and fences in one transaction."""
    fences = FENCES if program.fan_outs else 0
    index = 2 * INDEX  # by plan, by status
    work = Work(reads=3, writes=(2 + fences) * WRITE + index, items=2 + fences)
    return work.plus(asked(assumed))


def asked(assumed: Assumptions) -> Work:
    """One request of the API."""
    return Work(requests=1, invocations=1, gb_seconds=API_MEMORY * assumed.api_seconds)


def ended(run: Work, assumed: Assumptions) -> Work:
    """Hears that the machine has ended, and gives every item of the run an expiry, 50 a transaction."""
    pages = -(-(run.items - 1) // 50)
    writes = (run.items + pages) * WRITE
    return invoked(assumed).plus(Work(reads=2 + pages, writes=writes))


def demand(node_type: str) -> Demand:
    """What a node type asks for."""
    return DEMANDS.get(node_type, _PLAIN)


def invoked(assumed: Assumptions, node_type: str = "") -> Work:
    """One invocation of a node's function."""
    return Work(invocations=1, gb_seconds=demand(node_type).memory * assumed.seconds)


def activation(program: Program, step: Step, assumed: Assumptions) -> Work:
    """The node's Task once: what it reads, its record, and what belongs to its type. States are not counted here."""
    checked = checks(step)
    record = Work(reads=3 + checked // WRITE, writes=WRITE + INDEX + checked, items=1)
    work = invoked(assumed, step.type).plus(record)
    if step.wait is not None:
        return work.plus(_answered(checked, assumed))
    asked_for = demand(step.type)
    work = work.plus(asked_for.own)
    if asked_for.attempts:
        work = work.plus(Work(writes=WRITE + checked))
    if asked_for.models:
        work = work.plus(Work(models=1, gb_seconds=asked_for.memory * assumed.model_seconds))
    if not step.exits and all(each.kind == "loop" for each in step.enclosing):  # it ends the run
        work = work.plus(_ending(program))
    return work


def checks(step: Step, more: int = 0) -> int:
    """That the run goes on, and every region around, with so many inside the node, is undecided."""
    return (1 + more + sum(each.kind != "loop" for each in step.enclosing)) * WRITE


def arrived(program: Program, region_mode: str) -> Work:
    """A part's edge into its join leaves what it brings; a race counts it."""
    brought = Work(writes=WRITE, items=1)
    return brought if region_mode == "all" else brought.plus(Work(reads=3, writes=2 * WRITE))


def decided() -> Work:
    """A race has its race item and, once it is decided, its guards."""
    return Work(writes=FENCES * WRITE, items=1 + FENCES)


def _ending(program: Program) -> Work:
    """Head (instead of the check that the run goes on) and fences say how it ended; the index by status moves."""
    fences = FENCES if program.fan_outs else 0
    return Work(writes=fences * WRITE + 2 * INDEX)


def _answered(checked: int, assumed: Assumptions) -> Work:
    """Somebody is asked and answers: attempt and wait, request and message, the answer by the API, its delivery."""
    asking = Work(writes=2 * WRITE + checked + 2 * INDEX, items=1)
    sent = Work(writes=2 * WRITE + checked + INDEX, events=1, items=1)
    answer = Work(reads=6, writes=WRITE + 4 * INDEX)
    delivered = Work(writes=WRITE + INDEX)
    return asking.plus(sent, answer, delivered, asked(assumed))
