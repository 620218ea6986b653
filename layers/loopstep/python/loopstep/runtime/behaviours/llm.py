"""`llm`: one question to a model; one turn more where its answer is not of the form asked for (CANVAS §3.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.gateways.models import Models, Request, assistant, user
from loopstep.runtime.answers import Answer, form, read_answer
from loopstep.runtime.asking import Asking
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import LLM_UNSTRUCTURED
from loopstep.runtime.path_warnings import path_warnings
from loopstep.runtime.prompts import Prompt, compile_prompt, context_block, system_prompt
from loopstep.runtime.tools.account import Account
from loopstep.runtime.working_directory import WorkingDirectory
from loopstep.types.schema import Fields, fields_from_json


class _Config(NamedTuple):
    model: str
    system: Prompt
    prompt: Prompt
    context: tuple[str, ...]
    temperature: float | None
    max_tokens: int | None
    output: Fields
    form: str


class Llm(Behaviour):
    """What the model says is data: it becomes output as the contract allows, or fails the node."""

    acts_outside = True

    def __init__(self, models: Models, directory: Callable[[str], WorkingDirectory]) -> None:
        self._models, self._directory = models, directory

    def prepare(self, data: dict[str, Any]) -> _Config:
        output = fields_from_json(data["output"])
        return _Config(
            data.get("model", ""),
            compile_prompt(data.get("system", [])),
            compile_prompt(data["prompt"]),
            tuple(data.get("context", ())),
            data.get("temperature"),
            data.get("maxTokens"),
            output,
            form(output),
        )

    def ready(self, situation: Situation) -> Request:
        config: _Config = situation.spec.config
        system, prompt = config.system(situation.data), config.prompt(situation.data)
        own = "\n\n".join(part for part in (system.strip(), config.form) if part)
        block = context_block(config.context, situation.input)
        return Request(
            config.model,
            system_prompt(own, block, [prompt]),
            (user(prompt),),
            temperature=config.temperature,
            max_tokens=config.max_tokens,
        )

    def act(self, situation: Situation, ready: Request) -> Effect:
        config: _Config = situation.spec.config
        asking = Asking(self._models, situation.deadline, Account())
        for warning in path_warnings(situation, self._directory):
            asking.account.warn(warning)
        said = asking.ask(ready).text
        answer = read_answer(said, config.output)
        if answer.wrong:
            asking.account.warn("asked again: the answer was not of the form asked for")
            answer = read_answer(asking.ask(_again(ready, said, answer)).text, config.output)
        if answer.wrong:
            raise asking.failure(LLM_UNSTRUCTURED, f"the answer does not fit the output: {answer.wrong}")
        for lost in answer.lost:
            asking.account.warn(f"no value in the answer for {lost}")
        return Effect("completed", output=answer.output, usage=asking.account.to_json())


def _again(request: Request, said: str, answer: Answer) -> Request:
    """The repair turn: the model hears what was wrong, in words that hold nothing of what it said."""
    asked = f"This answer cannot be read: {answer.wrong}. Answer again, with what was asked for and nothing else."
    return request._replace(messages=(*request.messages, assistant(said), user(asked)))
