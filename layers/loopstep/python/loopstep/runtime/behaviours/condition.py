"""`condition`: a model says which of several conditions holds; the answer is a number or nothing (CANVAS §3.6)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from loopstep.gateways.models import Models, Request, assistant, user
from loopstep.runtime.asking import Asking
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import CONDITION_UNDECIDED
from loopstep.runtime.prompts import Prompt, compile_prompt, context_block, system_prompt
from loopstep.runtime.tools.account import Account

OTHERWISE = "otherwise"
_NUMBER = r"[\s\"'`*.(\[]*([0-9]{1,4})[\s\"'`*.)\]]*"  # the number alone, but for what a model may put around it
_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)}

_SYSTEM = (
    "You decide which one of several numbered conditions holds. Answer with its number and nothing else; "
    "with `none` if none of them holds."
)
_AGAIN = "Answer with one of the numbers {numbers}, or with `none`, and nothing else."


class _Config(NamedTuple):
    conditions: tuple[Prompt, ...]
    context: tuple[str, ...]


class ConditionNode(Behaviour):
    """Takes exactly one branch. The model's words decide nothing but its number."""

    acts_outside = True

    def __init__(self, models: Models) -> None:
        self._models = models

    def prepare(self, data: dict[str, Any]) -> _Config:
        return _Config(tuple(map(compile_prompt, data["conditions"])), tuple(data.get("context", ())))

    def ready(self, situation: Situation) -> Request:
        config: _Config = situation.spec.config
        lines = [f"{number}: {condition(situation.data)}" for number, condition in enumerate(config.conditions)]
        asked = "Which condition holds?\n\n" + "\n".join(lines)
        system = system_prompt(_SYSTEM, context_block(config.context, situation.input), [asked])
        return Request("", system, (user(asked),), temperature=0.0)

    def act(self, situation: Situation, ready: Request) -> Effect:
        count = len(situation.spec.config.conditions)
        asking = Asking(self._models, situation.deadline, Account())
        said = asking.ask(ready).text
        number = _number(said, count)
        if number is None:
            asking.account.warn("asked again: the answer was no number of a condition")
            number = _number(asking.ask(_again(ready, said, count)).text, count)
        if number is not None:
            return Effect(f"branch_{number}", usage=asking.account.to_json())
        if OTHERWISE in situation.spec.exits:
            return Effect(OTHERWISE, usage=asking.account.to_json())
        raise asking.failure(CONDITION_UNDECIDED, "the model named none of the conditions, asked twice")


def _number(said: str, count: int) -> int | None:
    """The number of a condition that the answer is, None for anything else."""
    if len(said) > 100:
        return None
    match = re.fullmatch(_NUMBER, said.translate(_FULL_WIDTH))
    number = int(match[1]) if match else count
    return number if number < count else None


def _again(request: Request, said: str, count: int) -> Request:
    numbers = "0" if count == 1 else f"0 to {count - 1}"
    told = (assistant(said[:1000]), user(_AGAIN.format(numbers=numbers)))
    return request._replace(messages=(*request.messages, *told))
