"""Play one case on a stage: start the run, answer what waits, let time pass, and compare what came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from loopstep.gateways.files import PREFIX
from loopstep.runs.waits import PENDING
from loopstep.runtime.times import moment
from loopstep.services.answer_callback import complete_callback, fail_callback
from loopstep.services.cancel_run import cancel_run
from loopstep.services.decide_approval import Verdict, decide_approval
from loopstep.services.list_waits import get_wait, list_waits
from loopstep.services.read_run import get_run, list_activations, list_messages
from loopstep.services.redrive_run import redrive_run
from loopstep.services.refusals import HTTP_STATUS, Refused
from loopstep.services.start_run import StartRequest, start_held_run, start_run
from loopstep.testing.cases import APPROVAL, CALLBACK, CANCEL, REDRIVE, UNSAID, Answers, Case, Step
from loopstep.testing.matching import MISSING, differences, shown, unmatched
from loopstep.testing.stage import Stage

PAGE = 100
BY = "somebody"  # who decides where a step does not say


class Fault(NamedTuple):
    """One thing that is not as expected. `what`: "status", "output", …; `path` a pointer into it."""

    what: str
    message: str
    path: str = ""
    expected: Any = MISSING
    actual: Any = MISSING


class Played(NamedTuple):
    """How a case came out. The parts of the run are as the REST API shows them; `run` None: it was not started."""

    case: Case
    faults: tuple[Fault, ...]
    run: dict[str, Any] | None = None
    activations: tuple[dict[str, Any], ...] = ()
    state: dict[str, Any] | None = None
    messages: tuple[dict[str, Any], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything was as expected."""
        return not self.faults


def play(stage: Stage, plan: str, case: Case, models: Answers) -> Played:
    """Play it. `models` are the file's answers, which come behind the case's own."""
    stage.parts.models.load(case.models, models)
    stage.parts.clock.restart(case.started_at)
    running = stage.running
    try:
        held = start_run(running, StartRequest(plan, case.input, hold=True))
    except Refused as refused:
        return Played(case, tuple(_refused(case, refused)))
    if case.rejected is not None:
        return Played(case, (Fault("rejected", "the input was taken", expected=list(case.rejected)),))
    for path, text in case.files.items():
        stage.parts.s3.objects[f"{PREFIX}{held.run}/{path}"] = text.encode()
    start_held_run(running, held.run)
    faults = [*_Player(stage, held.run, case).faults()]
    faults += [Fault("models", sentence) for sentence in (*stage.parts.models.faults, *stage.parts.models.unused())]
    played = Played(
        case,
        (),
        get_run(running, held.run),
        tuple(_all(lambda cursor: list_activations(running, held.run, 0, PAGE, cursor))),
        running.reader.get_state(held.run),
        tuple(_all(lambda cursor: list_messages(running, None, held.run, PAGE, cursor))),
    )
    return played._replace(faults=(*faults, *compare(case, played)))


def _refused(case: Case, refused: Refused) -> Iterator[Fault]:
    errors = {str(each["path"]): str(each["message"]) for each in refused.facts.get("errors", ())}
    if case.rejected is None:
        told = "; ".join(f"{path or 'it'}: {message}" for path, message in errors.items())
        yield Fault("input", f"the input was refused: {told or refused.detail}", actual=sorted(errors))
    elif missing := sorted(set(case.rejected) - errors.keys()):
        yield Fault("rejected", "the input was refused, but not there", expected=sorted(missing), actual=sorted(errors))


class _Player:
    """Answers one run's waits and lets its time pass."""

    def __init__(self, stage: Stage, run: str, case: Case) -> None:
        self._stage, self._run = stage, run
        self._clock = stage.parts.clock
        self._steps = list(case.steps)
        self._last: dict[str, str] = {}  # by kind of wait the one that was answered last
        self._used: set[str] = set()
        self._since = 0.0  # when the last step was

    def faults(self) -> Iterator[Fault]:
        """Everything that steps were answered otherwise than expected, when the run has ended."""
        while True:
            until = self._stage.executions.advance()
            due = self._due(ended=until is None)
            if due is not None and due <= self._clock.seconds:
                yield from self._do(self._steps.pop(0))
                self._since = self._clock.seconds
            elif until is None and due is None:
                break
            else:
                self._clock.reach(min(each for each in (until, due) if each is not None))
        for step in self._steps:
            where = f" of `{step.node}`" if step.node else ""
            yield Fault("steps", f"the step in line {step.span.line} found no open {step.kind}{where} to answer")

    def _due(self, ended: bool) -> float | None:
        """When the next step is to be done; None while what it is for is not there."""
        if not self._steps:
            return None
        step = self._steps[0]
        if step.kind == CANCEL:
            return self._since + step.after
        if step.kind == REDRIVE:
            return self._since + step.after if ended else None
        if self._again(step):
            return self._since + step.after
        found = self._open(step)
        return None if found is None else self._clock.at(moment(found["askedAt"])) + step.after

    def _again(self, step: Step) -> bool:
        """Whether a step is about the wait that was answered last: it is open still, or is to be refused."""
        last = self._last.get(step.kind)
        if last is None or step.next:
            return False
        item = get_wait(self._stage.running, step.kind, last)
        if step.node not in (None, item["nodeId"]):
            return False
        return bool(item["status"] == PENDING or step.status not in (200, 422, 403))

    def _open(self, step: Step) -> dict[str, Any] | None:
        """The oldest open wait that a step may be for."""
        waits = list_waits(self._stage.running, step.kind, PENDING, self._run, PAGE, None)["items"]
        fresh = [each for each in waits if each["id"] not in self._used and step.node in (None, each["nodeId"])]
        return min(fresh, key=lambda each: (each["askedAt"], each["id"]), default=None)

    def _do(self, step: Step) -> Iterator[Fault]:
        status, told = 200, ""
        try:
            self._act(step)
        except Refused as refused:
            status, told = HTTP_STATUS[type(refused)], f" ({refused.code}: {refused.detail})"
        if status != step.status:
            message = f"the {step.kind} in line {step.span.line} was answered {status}{told}"
            yield Fault("steps", message, expected=step.status, actual=status)

    def _act(self, step: Step) -> None:
        running, content = self._stage.running, step.content
        if step.kind == CANCEL:
            cancel_run(running, self._run)
            return
        if step.kind == REDRIVE:
            redrive_run(running, self._run)
            return
        if not self._again(step):
            found = self._open(step)
            assert found is not None
            self._last[step.kind] = found["id"]
            self._used.add(found["id"])
        wait = self._last[step.kind]
        if step.kind == APPROVAL:
            approved = content["decision"] == "approved"
            decide_approval(running, wait, Verdict(approved, content.get("by", BY), content.get("comment")))
        elif step.kind == CALLBACK and "error" in content:
            fail_callback(running, wait, content["error"].get("code", ""), content["error"].get("message", ""))
        else:
            complete_callback(running, wait, content.get("output"))


# -- what came -------------------------------------------------------------------------------------------------------


def compare(case: Case, played: Played) -> Iterator[Fault]:
    """Everything that is not as the case says, the run's end first."""
    run = played.run or {}
    if run["status"] != case.status:
        error = run.get("error") or {}
        why = (
            f" with {error.get('code')} at {error.get('nodeId') or 'the run'}: {error.get('message')}" if error else ""
        )
        yield Fault(
            "status",
            f"the run {run['status']}{why}; {case.status} was expected",
            expected=case.status,
            actual=run["status"],
        )
    elif case.error:
        yield from _differences("error", dict(case.error), run.get("error"), partial=True)
    if case.output is not UNSAID:
        yield from _differences("output", case.output, run.get("output"))
    if case.state is not UNSAID:
        yield from _differences("state", case.state, played.state, partial=True)
    if case.messages is not UNSAID:
        yield from _messages(case.messages, played)
    if case.activations is not None:
        counted = Counter(each["nodeId"] for each in played.activations)
        for node, count in case.activations.items():
            if counted[node] != count:
                yield Fault("activations", f"`{node}` ran {counted[node]} times", f"/{node}", count, counted[node])
    if case.path is not None:
        yield from _path(case.path, [each["nodeId"] for each in sorted(played.activations, key=_begin)])


def _differences(what: str, expected: Any, actual: Any, partial: bool = False) -> Iterator[Fault]:
    for each in differences(expected, actual, partial=partial):
        place = f"{what}{each.path}"
        yield Fault(what, f"{place} is {shown(each.actual)}, not {shown(each.expected)}", each.path, *each[1:])


def _messages(expected: list[Any], played: Played) -> Iterator[Fault]:
    came = [{"scope": each["scope"], "text": each["text"]} for each in played.messages]
    missing, more = unmatched(expected, came)
    if missing or more:
        told = [f"not sent: {shown(each)}" for each in missing] + [
            f"sent, not expected: {shown(each)}" for each in more
        ]
        yield Fault("messages", "; ".join(told), expected=expected, actual=came)


def _path(expected: tuple[str, ...], actual: list[str]) -> Iterator[Fault]:
    """The nodes have to come in this order; others may come between."""
    rest = iter(actual)
    for node in expected:
        if node not in rest:
            yield Fault("path", f"`{node}` was not reached there: {' → '.join(actual)}", "", list(expected), actual)
            return


def _begin(activation: dict[str, Any]) -> tuple[str, str]:
    return activation.get("startedAt") or "", activation.get("endedAt") or ""


def _all(page: Any) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        found = page(cursor)
        yield from found["items"]
        cursor = found.get("next")
        if not cursor:
            return
