"""`smart_action`: an instruction of the plan that a model carries out (CANVAS §3.4)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.runtime.agent_work import STEPS, Job, Worker, job_system
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.prompts import Prompt, compile_prompt, context_block
from loopstep.runtime.tools.allowance import Pins, allowance_of_action
from loopstep.types.schema import Schema

INSTRUCTION = "Carry out the instruction in the user's message and answer with its result alone."


class _Config(NamedTuple):
    prompt: Prompt
    hermes: bool
    steps: int
    tools: list[str] | None  # None: all
    context: tuple[str, ...]
    pins: Pins
    output: dict[str, Schema]


class SmartAction(Behaviour):
    """The plan's prompt is the user's message; the tools are those that the plan lists."""

    acts_outside = True

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def prepare(self, data: dict[str, Any]) -> _Config:
        return _Config(
            compile_prompt(data["prompt"]),
            bool(data.get("hermes")),
            data.get("maxSteps", STEPS),
            data.get("tools"),
            tuple(data.get("context", ())),
            data.get("pins", {}),
            {name: Schema.from_json(schema) for name, schema in data["output"].items()},
        )

    def ready(self, situation: Situation) -> Job:
        config: _Config = situation.spec.config
        text = config.prompt(situation.data)
        block = context_block(config.context, situation.input)
        registry = self._worker.means.registry
        allowed = allowance_of_action(config.tools, config.pins, registry) if config.hermes else None
        return Job("", job_system(INSTRUCTION, block, text, allowed), text, config.steps, allowed)

    def act(self, situation: Situation, ready: Job) -> Effect:
        return self._worker.work(situation, ready, situation.spec.config.output)
