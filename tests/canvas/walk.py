"""Runs a lowered plan from its document, parts of a region in any order, with scripted models and sources."""

from __future__ import annotations

import random
from typing import Any

from loopstep.convert.registry import convert
from loopstep.expressions.evaluate import evaluate
from loopstep.expressions.parse import parse
from loopstep.expressions.template import compile_parts, parse_template, render
from loopstep.expressions.tree import to_tree
from loopstep.types.text import json_text
from tests.canvas import scripted

Data = dict[str, Any]


class Stopped(Exception):
    """The run fails, with this code."""


class Walk:
    """One run: `state` and `output` after it, `ran` the ids of the plan's nodes in order."""

    def __init__(self, plan: Data, order: random.Random) -> None:
        self.plan, self.order = plan, order
        self.nodes = {node["id"]: node for node in plan["graph"]["nodes"]}
        self.state: Data = {}
        self.output: Data | None = None
        self.ran: list[str] = []

    def run(self, given: Data) -> Walk:
        self.given = given
        entry = self.plan["graph"]["entry"]
        edge = {"target": {"nodeId": entry["nodeId"]}, "bindings": entry.get("input", {})}
        self.walk(edge, {}, None)
        return self

    def walk(self, edge: Data, source: Data, join: str | None) -> None:
        while edge["target"]["nodeId"] != join:
            node = self.nodes[edge["target"]["nodeId"]]
            given = self.bound(node, edge, source)
            self.ran.append(node["id"])
            port, source = self.act(node, given)
            if port is None:
                return
            edge = self.leave(node["id"] if port != "joined" else source.pop("join"), port, source)

    def leave(self, node: str, port: str, source: Data) -> Data:
        port = "completed" if port == "joined" else port
        leaving = [edge for edge in self.plan["graph"]["edges"] if edge["source"] == {"nodeId": node, "port": port}]
        leaving.sort(key=lambda edge: "when" not in edge)
        return next(edge for edge in leaving if "when" not in edge or self.value({"expr": edge["when"]}, source))

    def value(self, source: Data, roots: Data) -> Any:
        if "value" in source:
            return source["value"]
        ast, faults = parse(source.get("expr", source.get("ref", "")))
        assert ast is not None, faults
        plan = {"input": self.given, "run": {"id": "run"}}
        found = evaluate(to_tree(ast), {"plan": plan, "state": self.state, **roots})
        how = source.get("convert")
        if how is None or found is None:
            return found
        found, reason = convert(found, how.get("from", "value"), how["to"], how.get("mode"))
        if reason is not None and not how.get("orAbsent"):
            raise LookupError(reason)
        return found

    def bound(self, node: Data, edge: Data, source: Data) -> Data:
        given: Data = {}
        for name, value in edge.get("bindings", {}).items():
            assert node["type"] == "end" or name in node["input"]
            try:
                found = self.value(value, source)
            except LookupError:
                raise Stopped("precondition.type" if name in node.get("preconditions", ()) else "no_value") from None
            if found is not None:
                given[name] = found
        if missing := [name for name in node.get("preconditions", ()) if name not in given]:
            raise Stopped(f"precondition.missing {missing}")
        return given

    def act(self, node: Data, given: Data) -> tuple[str | None, Data]:
        kind, left = node["type"], {"input": given}
        if kind == "set_variable":
            assigned = {each["state"]: self.value(each["value"], left) for each in node["setVariable"]["assignments"]}
            self.state |= {name: each for name, each in assigned.items() if each is not None}
        elif kind == "fan_out":
            join = next(one for one, each in self.nodes.items() if each.get("join", {}).get("fanOut") == node["id"])
            branches = list(node["fanOut"]["branches"])
            self.order.shuffle(branches)
            for branch in branches:
                self.walk(self.leave(node["id"], branch, left), left, join)
            return "joined", {"join": join}
        elif kind == "end":
            self.output = given
            return None, {}
        elif kind == "condition":
            asked = [
                self.text(node, "condition", each["expression"], given) for each in node["condition"]["conditions"]
            ]
            return f"branch_{scripted.choose(node['id'], len(asked), asked, self.context(node, given))}", left
        elif kind == "llm":
            prompts = [self.text(node, "llm", node["llm"].get(key, ""), given) for key in ("system", "prompt")]
            fields = [(name, each["type"]) for name, each in node["output"].items()]
            return "completed", left | {
                "output": scripted.answer(node["id"], fields, prompts, self.context(node, given))
            }
        elif kind == "knowledge_retrieval":
            query = self.text(node, "knowledgeRetrieval", node["knowledgeRetrieval"]["query"], given)
            return "completed", left | {"output": scripted.evidence(node["id"], query)}
        elif kind == "list_files":
            return "completed", left | {"output": {"files": ["a.txt"]}}
        else:
            assert kind == "pass"
        return "completed", left

    def text(self, node: Data, key: str, template: str, given: Data) -> str:
        parts, faults = parse_template(template)
        assert not faults
        return render(compile_parts(parts, node[key].get("missing") == "keep"), {"input": given})

    def context(self, node: Data, given: Data) -> list[tuple[str, str]]:
        names = (
            next(each for each in node.values() if isinstance(each, dict) and "context" in each)["context"]
            if any(isinstance(each, dict) and "context" in each for each in node.values())
            else []
        )
        listed = list(node["input"]) if names == "input" else names
        return [
            (name, given[name] if isinstance(given[name], str) else json_text(given[name]))
            for name in listed
            if name in given
        ]
