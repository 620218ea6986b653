"""`knowledge_retrieval`: asks the sources that the plan version pins, and brings their evidence (CANVAS §3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.expressions.render import compile_template
from loopstep.knowledge.port import Found, Knowledge
from loopstep.registry.records import SOURCE, Entry
from loopstep.registry.store import RegistryStore, UnknownEntry
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import SOURCE_UNAVAILABLE, NodeFailure

HYBRID = "HYBRID"
_SECONDS = 60.0  # the most that an answer is waited for


class _Config(NamedTuple):
    query: Callable[[dict[str, Any]], str]
    source: str
    top_k: int
    pins: dict[str, int]  # versions by source


class KnowledgeRetrieval(Behaviour):
    """One source that fails is a diagnostic, all that were asked fail the node; another attempt may succeed."""

    acts_outside = True

    def __init__(self, registry: RegistryStore, knowledge: Knowledge) -> None:
        self._registry, self._knowledge = registry, knowledge

    def prepare(self, data: dict[str, Any]) -> _Config:
        pins = data.get("pins", {}).get(SOURCE, {})
        return _Config(compile_template(data["query"]), data["source"], data.get("topK", 5), pins)

    def ready(self, situation: Situation) -> str:
        config: _Config = situation.spec.config
        return config.query(situation.data)

    def act(self, situation: Situation, ready: str) -> Effect:
        config: _Config = situation.spec.config
        entries, gone = self._entries(config)
        seconds = min(_SECONDS, situation.deadline.seconds())
        found = self._knowledge.retrieve(entries, ready, config.top_k, seconds)
        if found.failed:
            raise NodeFailure(SOURCE_UNAVAILABLE, _sentence(found))
        return Effect("completed", output=_output(config, found, {**found.diagnostics, **gone}, entries))

    def _entries(self, config: _Config) -> tuple[dict[str, Entry], dict[str, str]]:
        """The pinned sources, and diagnostics of those whose version cannot be read or that are of another kind."""
        entries, gone = {}, {}
        for id, version in config.pins.items():
            try:
                entry = self._registry.get(SOURCE, id, version)
            except UnknownEntry:
                gone[f"error:{id}"] = f"version {version} of the source is not there"
                continue
            if config.source in (HYBRID, entry.content["kind"]):
                entries[id] = entry
            else:
                gone[f"error:{id}"] = f"the source is of kind {entry.content['kind']}"
        return entries, gone


def _sentence(found: Found) -> str:
    failed = (f"{key.partition(':')[2]}: {text}" for key, text in found.diagnostics.items() if key.startswith("error:"))
    return "no source answered; " + "; ".join(failed)


def _output(config: _Config, found: Found, diagnostics: dict[str, Any], entries: dict[str, Entry]) -> dict[str, Any]:
    output: dict[str, Any] = {
        "evidences": found.evidences,
        "evidenceCount": len(found.evidences),
        "sourceType": config.source,
        "diagnostics": diagnostics,
    }
    if config.source == HYBRID:
        output["enabledSources"] = dict(found.asked)
        bases = [(entry.content.get("managed") or {}).get("knowledgeBaseId", "") for entry in entries.values()]
        number = next((base for base in bases if base.isdecimal() and base.isascii()), None)
        output |= {"knowledgeBaseId": int(number)} if number else {}
    return output
