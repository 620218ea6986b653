"""The people of the run: whoever publishes, starts, answers and cancels, and asks again when there is no answer."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from loopstep.cli import outcome
from loopstep.cli.remote import Refused, Remote
from tests.chaos.cases import DOCUMENTS, PLANS, SOURCE, Case, word

TRIES = 8
AT_ONCE = 50  # documents in a request
RUN_SECONDS = 240.0  # the longest wait of a plan, and what repetitions take
ENDED = 410
CONFLICT = 409
NOT_NOW = "not_now"  # what a callback answers first that is mended by a redrive
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Played:
    """One run as its starter saw it: what the API said when it first had ended, None where it never did.

    `answered` is the id of the approval or callback that was answered.
    """

    case: Case
    run: str
    seen: dict[str, Any] | None
    answered: str | None = None
    complaints: tuple[str, ...] = ()


class Player:
    """Uses the REST API as a careful client does: what failed for no reason of the request is asked again."""

    def __init__(self, api: Remote) -> None:
        self._api = api

    def publish(self, name: str) -> int:
        """Publish a plan of `plans/`; its version."""
        document = (PLANS / f"{name}.yaml").read_bytes()
        return int(self._patiently(lambda: self._api.call("PUT", f"/plans/{name}", raw=document))["version"])

    def register(self) -> None:
        """A source with its documents, of which the first is removed; an agent that is put and removed."""
        self._patiently(lambda: self._api.call("PUT", f"/sources/{SOURCE}", {"name": "Papers", "kind": "DOCUMENT"}))
        place = f"/sources/{SOURCE}/documents"
        papers = [{"id": f"d{n}", "form": "text", "text": f"About {word(n)}."} for n in range(DOCUMENTS)]
        for start in range(0, DOCUMENTS, AT_ONCE):
            batch = {"documents": papers[start : start + AT_ONCE]}
            self._patiently(lambda batch=batch: self._api.call("POST", place, batch))  # type: ignore[misc]
        agent = {"name": "gone", "instructions": "Nothing."}
        self._patiently(lambda: self._api.call("PUT", "/agents/gone", agent))
        for path in (f"{place}/d0", "/agents/gone"):
            self._patiently(lambda path=path: self._api.call("DELETE", path))  # type: ignore[misc]

    def versions(self, name: str) -> int:
        """How many versions a plan has."""
        return len(self._patiently(lambda: list(self._api.items(f"/plans/{name}/versions"))))

    def read(self, run: str, wait: float = 0) -> dict[str, Any]:
        """A run as the API shows it."""
        found: dict[str, Any] = self._patiently(lambda: self._api.call("GET", f"/runs/{run}?wait={wait}"))
        return found

    def runs(self, plan: str) -> list[str]:
        """The ids of all runs of a plan."""
        return [each["runId"] for each in self._patiently(lambda: list(self._api.items("/runs", plan=plan)))]

    def play(self, case: Case, key: str) -> Played:
        """Start a run under an Idempotency-Key, do what somebody has to do, and wait for its end."""
        body, headers = {"input": dict(case.input)}, {"Idempotency-Key": key}
        place = f"/plans/{case.plan}/runs"
        run = str(self._patiently(lambda: self._api.call("POST", place, body, headers=headers))["runId"])
        try:
            return self._follow(case, run)
        except outcome.Failure as failure:
            return Played(case, run, None, None, (f"the API gave up: {failure}",))

    def _follow(self, case: Case, run: str) -> Played:
        answered, complaints, mend = None, list[str](), case.act == "mend"
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline:
            found = self.read(run, 0 if case.act and answered is None else 3)
            if mend and found["status"] == "failed":
                mend, answered = False, None
                self._redrive(run, complaints)
                continue
            if found["status"] != "running":
                return Played(case, run, found, answered, tuple(complaints))
            if case.act and answered is None:
                answered = self._act("fail" if mend else case.act, run, complaints)
                time.sleep(0.2)
        return Played(case, run, None, answered, tuple(complaints))

    # -- what somebody does ----------------------------------------------------------------------------------------

    def _act(self, act: str, run: str, complaints: list[str]) -> str | None:
        """Do it if it is time; the id of what was answered."""
        if act == "cancel":
            self._patiently(lambda: self._api.call("POST", f"/runs/{run}/cancel"))
            return run
        kind = "approvals" if act in ("approve", "reject") else "callbacks"
        pending = self._patiently(lambda: list(self._api.items(f"/{kind}", runId=run, status="pending")))
        if not pending:
            return None
        identity = str(pending[0]["id"])
        if act == "fail":
            self._once(f"/callbacks/{identity}", {"error": {"code": NOT_NOW, "message": "by chaos"}})
        elif act in ("answer", "mend"):
            self._answer(f"/callbacks/{identity}", complaints)
        else:
            self._decide(f"/approvals/{identity}", act == "approve", complaints)
        return identity

    def _decide(self, place: str, approves: bool, complaints: list[str]) -> None:
        """Decide, then try to decide otherwise: what stands is the first decision."""
        words = ("approved", "rejected") if approves else ("rejected", "approved")
        first, second = ({"decision": word, "by": "chaos", "comment": "by chaos"} for word in words)
        code = self._once(place, first)
        if code not in (None, CONFLICT):  # a conflict with the own decision, whose reply was lost
            complaints.append(f"the decision was refused: {code}")
        if self._once(place, second) not in (CONFLICT, ENDED):
            complaints.append("a second decision was taken")

    def _answer(self, place: str, complaints: list[str]) -> None:
        """Answer wrongly, rightly, and again."""
        if self._once(place, {"output": {"score": 11}}) != 422:
            complaints.append("an answer against the contract was taken")
        code = self._once(place, {"output": {"score": 7}})
        if code not in (None, CONFLICT):
            complaints.append(f"the answer was refused: {code}")
        if self._once(place, {"output": {"score": 1}}) not in (CONFLICT, ENDED):
            complaints.append("a second answer was taken")

    def _redrive(self, run: str, complaints: list[str]) -> None:
        """Let it go on; a conflict says that it does already, since the reply to the own request was lost."""
        code = self._once(f"/runs/{run}/redrive", {})
        if code not in (None, CONFLICT):
            complaints.append(f"the redrive was refused: {code}")

    def _once(self, place: str, body: dict[str, Any]) -> int | None:
        """The status of a refusal, None where it was taken."""
        try:
            self._patiently(lambda: self._api.call("POST", place, body))
        except Refused as refused:
            return refused.status
        return None

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Ask until there is an answer. Raises Refused for one below 500 and 429, Failure after TRIES."""
        for attempt in range(1, TRIES + 1):
            try:
                return ask()
            except outcome.Failure as failure:
                status = failure.status if isinstance(failure, Refused) else 503
                if attempt == TRIES or (status < 500 and status != 429):
                    raise
                time.sleep(random.random() * min(3.0, 0.1 * 2**attempt))
        raise AssertionError("not reached")
