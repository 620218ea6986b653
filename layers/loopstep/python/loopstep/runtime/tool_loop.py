"""The model works with tools until it answers (CANVAS §3.3). Nothing it says is believed.

    ask ─▶ no calls? the answer
     ▲         │ calls
     │         ▼
     │    tokens and time left? the run still running? ── no ─▶ refused, recorded, the end
     │         │ yes
     │    known? of a fit size? as its contract says? ── no ─▶ refused, recorded, told
     │         │ yes
     └──── carried out in order, recorded, its result told as data

A call that is refused is an answer to the model, never an exception. What ends the loop without an answer is LoopEnded:
steps, tokens, time, the size of the conversation, or the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from loopstep.gateways.models import ModelRefused, Models, ModelUnavailable, Reply, Request, ToolCall
from loopstep.runtime.marks import marked
from loopstep.runtime.tools.account import DONE, FAILED, REFUSED, Account
from loopstep.runtime.tools.conversation import Answered, Conversation
from loopstep.runtime.tools.limits import (
    CALLS,
    HEARD,
    INPUT_BYTES,
    INPUT_DEPTH,
    INPUT_ENTRIES,
    REFUSAL_CHARACTERS,
    RESULT_CHARACTERS,
    RESULTS_CHARACTERS,
    SHORTEST_SECONDS,
)
from loopstep.runtime.tools.tool import AgentTool, Refused, Unable
from loopstep.runtime.tools.weight import Unfit, cut, readable, weight
from loopstep.types.conform import conform_fields


class LoopEnded(Exception):
    """The loop ended without an answer; the message says which bound was reached, without data."""


class OutOfTime(LoopEnded):
    """The bound was time."""


class Bounds(NamedTuple):
    """`steps`: model calls of the loop. `tokens`: of all model calls, in and out. `seconds`: how many are left now.

    `going`: whether the answer still counts; nobody waits for it when the run is over, or the join of its part decided.
    """

    steps: int
    tokens: int
    seconds: Callable[[], float]
    going: Callable[[], bool] = lambda: True

    def time(self) -> float:
        """The seconds that are left. Raises OutOfTime where they are too few to begin anything."""
        left = self.seconds()
        if left < SHORTEST_SECONDS:
            raise OutOfTime("no time was left")
        return left

    def check(self, account: Account) -> None:
        """Raise LoopEnded where nothing may be begun any more: no tokens, no time, or nobody who waits."""
        if account.tokens >= self.tokens:
            raise LoopEnded(f"more than {self.tokens} tokens")
        self.time()
        if not self.going():
            raise LoopEnded("the run is over, or goes on without this part")


def ask(models: Models, request: Request, bounds: Bounds, account: Account) -> Reply:
    """One model call, bounded and counted. Raises as `converse` does, and LoopEnded."""
    if account.tokens >= bounds.tokens:
        raise LoopEnded(f"more than {bounds.tokens} tokens")
    try:
        reply = models.converse(request, bounds.time())
    except (ModelUnavailable, ModelRefused) as failed:
        account.spend(failed.usage, request.model)
        raise
    account.spend(reply.usage, reply.model)
    return reply


def answer_text(reply: Reply, account: Account) -> str:
    """The text of a reply that is taken as the answer."""
    account.heard(reply)
    return readable(reply.text)


def tool_loop(models: Models, request: Request, tools: Iterable[AgentTool], bounds: Bounds, account: Account) -> str:
    """The model's answer, after at most `bounds.steps` model calls; `account` has the record, whatever happens.

    Raises LoopEnded, what `converse` raises, and what a tool raises that is neither Refused nor Unable.
    """
    by_name = {tool.name: tool for tool in tools}
    offered = tuple(tool.offered() for tool in by_name.values())
    conversation = Conversation(request.messages)
    for step in range(1, bounds.steps + 1):
        reply = ask(models, request._replace(messages=conversation.messages(), tools=offered), bounds, account)
        if not reply.calls:
            return answer_text(reply, account)
        if step == bounds.steps:  # nobody would hear the results
            refuse_all(reply.calls, "no step is left", account)
            break
        try:
            bounds.check(account)  # the model took its time: nothing is done for a run that has ended meanwhile
        except LoopEnded as ended:
            refuse_all(reply.calls, str(ended), account)
            raise
        answered = _Answers(by_name, bounds, account).to(reply.calls)
        if not conversation.add(readable(reply.text), answered):
            raise LoopEnded("the conversation became too long")
    raise LoopEnded(f"no answer after {bounds.steps} model calls")


def refuse_all(calls: tuple[ToolCall, ...], reason: str, account: Account) -> None:
    """Record calls that are not carried out and whose refusal nobody hears."""
    for call in calls[:HEARD]:
        account.called(call.name, REFUSED, reason)
    account.omit(max(0, len(calls) - HEARD))


class _Answers:
    """Answers the calls of one reply, in their order; what they share is bounded over all of them."""

    def __init__(self, tools: dict[str, AgentTool], bounds: Bounds, account: Account) -> None:
        self._tools, self._bounds, self._account = tools, bounds, account
        self._room_in, self._room_out = INPUT_BYTES, RESULTS_CHARACTERS

    def to(self, calls: tuple[ToolCall, ...]) -> list[Answered]:
        self._account.omit(max(0, len(calls) - HEARD))
        answered: list[Answered] = []
        for call in calls[:HEARD]:
            try:
                answered.append(self._answered(len(answered), call))
            except (LoopEnded, ModelUnavailable):
                refuse_all(calls[len(answered) + 1 : HEARD], "the work ended before it", self._account)
                raise
        return answered

    def _answered(self, number: int, call: ToolCall) -> Answered:
        name, told, begun = readable(call.name), {}, False
        try:
            told = self._fit(call.input)
            if number >= CALLS:
                raise Refused(f"at most {CALLS} calls in one reply")
            tool, values = self._allowed(name, told)
            if number:
                self._bounds.check(self._account)  # the calls before it took theirs
            begun = True
            result, outcome, reason = self._run(tool, values), DONE, ""
        except (Refused, Unable) as answer:
            outcome, reason = (REFUSED if isinstance(answer, Refused) else FAILED), str(answer)
            result = cut(f"{outcome}: {readable(reason)}", REFUSAL_CHARACTERS)
        except (LoopEnded, ModelUnavailable) as ended:
            outcome, reason = (FAILED, "the work ended here") if begun else (REFUSED, str(ended))
            self._account.called(name, outcome, reason)
            raise
        self._account.called(name, outcome, reason)
        return Answered(readable(call.id), name, told, result, outcome != DONE)

    def _fit(self, said: Any) -> dict[str, Any]:
        """The input, if it is an object of a size that may be told again."""
        if not isinstance(said, dict):
            raise Refused("the input is no object")
        try:
            size = weight(said, INPUT_DEPTH)
        except Unfit as unfit:
            raise Refused(f"the input {unfit}") from None
        if size > self._room_in:
            raise Refused(f"the inputs of one reply may have {INPUT_BYTES} bytes together")
        self._room_in -= size
        return said

    def _allowed(self, name: str, said: dict[str, Any]) -> tuple[AgentTool, dict[str, Any]]:
        """The tool, and the input as its contract has it."""
        tool = self._tools.get(name)
        if tool is None:
            raise Refused("there is no such tool; use " + (", ".join(self._tools) or "none"))
        if len(said) > INPUT_ENTRIES:
            raise Refused(f"the input has more than {INPUT_ENTRIES} fields")
        values, problems = conform_fields(said, tool.fields)
        if problems:
            raise Refused("; ".join(f"{each.path or '/'}: {each.message}" for each in problems[:5]))
        return tool, values

    def _run(self, tool: AgentTool, values: dict[str, Any]) -> str:
        text = cut(readable(tool.run(values)), min(RESULT_CHARACTERS, self._room_out))
        self._room_out = max(0, self._room_out - len(text))
        return marked(text)
