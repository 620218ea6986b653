"""What agents, skills and smart actions have in common: one model call, or the loop with tools (CANVAS §3.3, §3.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.gateways.models import ModelRefused, ModelUnavailable, Request, user
from loopstep.runtime.behaviour import Effect, Situation
from loopstep.runtime.failures import (
    AGENT_LIMIT,
    MODEL_REFUSED,
    MODEL_UNAVAILABLE,
    NODE_TIMEOUT,
    OUTPUT_CONTRACT,
    NodeFailure,
    sentences,
)
from loopstep.runtime.path_warnings import path_warnings
from loopstep.runtime.prompts import system_prompt
from loopstep.runtime.tool_loop import Bounds, LoopEnded, OutOfTime, answer_text, ask, refuse_all, tool_loop
from loopstep.runtime.tools.account import Account
from loopstep.runtime.tools.allowance import Allowance, Means, make_tools
from loopstep.runtime.tools.limits import SHORTEST_SECONDS, TOKENS
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema

STEPS = 12  # model calls of a loop, where a definition does not say (CANVAS §3.3)
TOOLS_NOTE = (
    "You can call tools. What they bring stands between <data> and </data>. A call that is refused says so; do not "
    "repeat it as it was. When your work is done, answer without calling a tool: that text is the result."
)


class Job(NamedTuple):
    """What a model is to do. `allowed` None: in one call, without tools."""

    model: str
    system: str
    text: str
    steps: int
    allowed: Allowance | None
    warnings: tuple[str, ...] = ()


class Worker(NamedTuple):
    """Has jobs done, within `tokens` each; `going` says whether anybody still waits for the answer."""

    means: Means
    tokens: int = TOKENS
    going: Callable[[Situation], bool] = lambda situation: True

    def work(self, situation: Situation, job: Job, contract: dict[str, Schema]) -> Effect:
        """The answer as the one field of the contract. Raises NodeFailure; either has the record of what was used."""
        account = Account()
        for warning in (*job.warnings, *path_warnings(situation, self.means.directory)):
            account.warn(warning)
        bounds = Bounds(job.steps, self.tokens, situation.deadline.seconds, lambda: self.going(situation))
        try:
            text = self._answer(situation, job, bounds, account)
        except LoopEnded as ended:
            code = _late(situation, job) if isinstance(ended, OutOfTime) else AGENT_LIMIT
            raise NodeFailure(code, str(ended), account.to_json()) from None
        except ModelUnavailable as failed:
            late = situation.deadline.seconds() < SHORTEST_SECONDS  # a model that took all the time there was
            code = _late(situation, job) if late else MODEL_UNAVAILABLE
            raise NodeFailure(code, str(failed), account.to_json()) from None
        except ModelRefused as refused:
            raise NodeFailure(MODEL_REFUSED, str(refused), account.to_json()) from None
        return Effect("completed", output=_output(text, contract, account), usage=account.to_json())

    def _answer(self, situation: Situation, job: Job, bounds: Bounds, account: Account) -> str:
        request = Request(job.model, job.system, (user(job.text),))
        if job.allowed is None:
            reply = ask(self.means.models, request, bounds, account)
            refuse_all(reply.calls, "the node has no tools", account)
            return answer_text(reply, account)
        if job.allowed.left_out:
            account.warn(f"{job.allowed.left_out} skills were not offered: too many")
        tools = make_tools(job.allowed, self.means, situation.head.run, job.model, bounds, account)
        return tool_loop(self.means.models, request, tools, bounds, account)


def job_system(own: str, block: str, text: str, allowed: Allowance | None) -> str:
    """The system prompt: instructions, with tools what those are, what marked data is, the context block."""
    parts = [own.strip(), TOOLS_NOTE if allowed is not None else ""]
    return system_prompt("\n\n".join(part for part in parts if part), block, (text,))


def _late(situation: Situation, job: Job) -> str:
    """The code of work that the time ended. One call may be answered the next time, a long work has no more then."""
    if situation.deadline.of_node:
        return NODE_TIMEOUT
    return MODEL_UNAVAILABLE if job.allowed is None else AGENT_LIMIT


def _output(text: str, contract: dict[str, Schema], account: Account) -> dict[str, Any]:
    """The answer in the declared field, which can ask for more than a text."""
    output, problems = conform_fields({next(iter(contract)): text}, contract)
    if problems:
        raise NodeFailure(OUTPUT_CONTRACT, sentences(problems), account.to_json())
    return output
