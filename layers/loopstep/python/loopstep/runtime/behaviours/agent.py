"""`agent` and `skill`: a registered agent, or a skill as one, answers (CANVAS §3.3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.registry.records import AGENT, SKILL, Entry
from loopstep.registry.store import UnknownEntry
from loopstep.runtime.agent_work import STEPS, Job, Worker, job_system
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import NODE_CRASHED, PRECONDITION_MISSING, PRECONDITION_TYPE, NodeFailure
from loopstep.runtime.prompts import context_block
from loopstep.runtime.tools.allowance import Pins, allowance_of_entry
from loopstep.runtime.tools.instructions import missing_of, typed, user_text
from loopstep.types.schema import Schema

_ID_KEYS = {AGENT: "agentId", SKILL: "skillId"}  # config field by kind of what it names


class _Config(NamedTuple):
    id: str
    hermes: bool
    steps: int
    context: tuple[str, ...]
    pins: Pins
    output: dict[str, Schema]


class Agent(Behaviour):
    """Its instructions are the system prompt, its declared inputs the user's message.

    With `hermes` the model may use the tools, skills and sources that the registered version allows, as the plan
    version pins them; without, it is asked once. A repeated attempt begins anew: files are written whole, so what an
    attempt left behind is written over, never twice.
    """

    acts_outside = True

    def __init__(self, kind: str, worker: Worker) -> None:
        self._kind, self._worker = kind, worker

    def prepare(self, data: dict[str, Any]) -> _Config:
        return _Config(
            data[_ID_KEYS[self._kind]],
            bool(data.get("hermes")),
            data.get("maxSteps", STEPS),
            tuple(data.get("context", ())),
            data.get("pins", {}),
            {name: Schema.from_json(schema) for name, schema in data["output"].items()},
        )

    def ready(self, situation: Situation) -> Job:
        config: _Config = situation.spec.config
        entry = self._entry(config)
        if missing := missing_of(entry, situation.input):
            raise NodeFailure(PRECONDITION_MISSING, f"the {self._kind} {config.id} needs: {', '.join(missing)}")
        given = typed(entry, situation.input)
        if given.wrong:
            raise NodeFailure(PRECONDITION_TYPE, f"the {self._kind} {config.id} needs: {'; '.join(given.wrong)}")
        text = user_text(entry, given.values)
        block = context_block(config.context, situation.input)
        registry = self._worker.means.registry
        allowed = allowance_of_entry(entry, config.pins, registry) if config.hermes else None
        system = job_system(entry.content["instructions"], block, text, allowed)
        warnings = tuple(f"left out: {each}" for each in given.lost)
        return Job(entry.content.get("model") or "", system, text, config.steps, allowed, warnings)

    def act(self, situation: Situation, ready: Job) -> Effect:
        return self._worker.work(situation, ready, situation.spec.config.output)

    def _entry(self, config: _Config) -> Entry:
        """The version that the plan version pins."""
        version = config.pins.get(self._kind, {}).get(config.id)
        try:
            if version is not None:
                return self._worker.means.registry.get(self._kind, config.id, version)
        except UnknownEntry:
            pass
        raise NodeFailure(NODE_CRASHED, f"the plan's version has no {self._kind} {config.id}: publish it again")
