"""The engine of the canvas as the first seed describes it: level by level over one flat table of variables.

Works on the JSON document alone. A node reads what its reachable predecessors write; `texts` are conversions by kind.
"""

from __future__ import annotations

import re
from typing import Any

from loopstep.convert.registry import convert
from tests.canvas import scripted

FIXED = {"evidences": "array", "evidenceCount": "number", "sourceType": "string", "diagnostics": "object"}


class Failed(Exception):
    """A precondition does not hold."""


class Engine:
    """One run; `table` holds the variables after it, `ran` the ids of the nodes that were active."""

    def __init__(self, canvas: dict[str, Any]) -> None:
        self.nodes = {node["id"]: node for node in canvas["nodes"]}
        self.edges = canvas["edges"]
        self.table: dict[str, Any] = {}
        self.ran: set[str] = set()
        self.levels: list[list[str]] = []
        settled: set[str] = set()
        while len(settled) < len(self.nodes):
            ready = [one for one in self.nodes if one not in settled and self.sources(one) <= settled]
            self.levels.append(ready)
            settled |= set(ready)

    def sources(self, node: str) -> set[str]:
        return {edge["source"] for edge in self.edges if edge["target"] == node}

    def before(self, node: str) -> set[str]:
        return self.sources(node).union(*(self.before(one) for one in self.sources(node)))

    def fields(self, node: str) -> list[tuple[str, str, str]]:
        """What a node writes: name, type, kind."""
        kind, data = self.nodes[node]["type"], self.nodes[node]["data"]
        if kind == "userInput":
            return [(each["name"], each["type"], "value") for each in data["variables"]]
        if kind == "knowledgeRetrieval":
            return [(name, type_, name) for name, type_ in FIXED.items()]
        if kind in ("condition", "output"):
            return []
        declared = [(each["name"], each["type"]) for each in data.get("outputs", ())]
        if len(declared) < 2:
            return [((declared or [("result", "")])[0][0], "string", "text")]
        return [(name, type_, "structured") for name, type_ in declared]

    def kind(self, name: str) -> str:
        kinds = {kind for node in self.nodes for field, _, kind in self.fields(node) if field == name}
        return kinds.pop() if len(kinds) == 1 else "value"

    def visible(self, node: str) -> list[str]:
        before = self.before(node)
        order = [one for level in self.levels for one in level if one in before]
        return list(dict.fromkeys(field for one in order for field, _, _ in self.fields(one)))

    def text(self, name: str, mode: str | None = None) -> str | None:
        return convert(self.table.get(name), self.kind(name), "string", mode)[0]

    def run(self, given: dict[str, Any]) -> Engine:
        activated: set[str] = set()
        for level in self.levels:
            for node in level:
                if not self.sources(node) or node in activated:
                    self.ran.add(node)
                    handle = self.act(node, given)
                    activated |= {
                        edge["target"]
                        for edge in self.edges
                        if edge["source"] == node and handle in (None, edge["sourceHandle"])
                    }
        return self

    def act(self, node: str, given: dict[str, Any]) -> str | None:
        kind, data = self.nodes[node]["type"], self.nodes[node]["data"]
        seen = self.visible(node)
        wanted = {each["name"]: each for each in data.get("inputs", ())}
        sources = {name: self.source(node, each, seen) for name, each in wanted.items()}
        for name, each in wanted.items():
            value = self.table.get(sources[name])
            reason = convert(value, self.kind(sources[name]), each["type"], each.get("mode"))[1]
            if reason and each.get("required"):
                raise Failed(node)
        modes = {name: each.get("mode") for name, each in wanted.items() if each["type"] == "string"}

        def shown(match: re.Match[str]) -> str:
            source = sources.get(match[1], match[1] if match[1] in seen else "")
            text = self.text(source, modes.get(match[1]))
            return match[0] if text is None else text

        texts = [data.get(key, "") for key in ("systemPrompt", "userPrompt", "query")]
        prompts = [re.sub(r"\{\{(\w+)\}\}", shown, text) for text in texts]
        context = [(name, self.text(sources.get(name, name), modes.get(name))) for name in seen]
        context = [(name, text) for name, text in context if text is not None]
        if kind == "userInput":
            brought = {name: given[name] for name, _, _ in self.fields(node) if name in given}
            for name, value in brought.items():
                made, reason = convert(value, "value", self.type(node, name))
                if reason is None:
                    self.table[name] = made
                elif next(each for each in data["variables"] if each["name"] == name).get("required"):
                    raise Failed(node)
        elif kind == "knowledgeRetrieval":
            self.table |= scripted.evidence(node, prompts[2])
        elif kind == "condition":
            asked = [re.sub(r"\{\{(\w+)\}\}", shown, each["expression"]) for each in data["conditions"]]
            return f"branch-{scripted.choose(node, len(asked), asked, context)}"
        elif kind == "llm":
            fields = [(name, type_) for name, type_, _ in self.fields(node)]
            self.table |= scripted.answer(node, fields, prompts[:2], context)
        return None

    def source(self, node: str, wanted: dict[str, Any], seen: list[str]) -> str:
        """The variable of a declared input; "" where nothing fills it."""
        mapping = wanted.get("mapping")
        if mapping is None:
            return wanted["name"] if wanted["name"] in seen else ""
        fields = (
            [field for field, _, _ in self.fields(mapping["nodeId"])] if mapping["nodeId"] in self.before(node) else []
        )
        return mapping["field"] if mapping["field"] in fields else ""

    def type(self, node: str, name: str) -> str:
        return next(type_ for field, type_, _ in self.fields(node) if field == name)
