"""Random plans that compile: sequences, choices, loops and fan_outs, nested, with shared failures and odd titles."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

TITLES = [
    "",
    "",
    "",
    "订单处理步骤",
    "A rather long title that has to be broken into lines",
    "Ω résumé <b>&amp;",
    "W" * 90,
    "👩‍💻 ok",
]
WHENS = [
    "plan.input.n > 3",
    "plan.input.n >= 10 && plan.input.客户名称 == '上海'",
    "length(plan.input.客户名称) * 2 < plan.input.n",
]


@dataclass
class Builder:
    """Adds nodes and edges until `left` is used up; every piece has one way in and hands back its open ways out."""

    chance: random.Random
    left: int
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)

    def node(self, kind: str, **more: Any) -> str:
        name = f"{kind}_{len(self.nodes)}" + (
            "_" + "x" * self.chance.randrange(40) if self.chance.random() < 0.1 else ""
        )
        title = self.chance.choice(TITLES)
        self.nodes.append({"id": name, "type": kind, **({"title": title} if title else {}), **more})
        self.left -= 1
        return name

    def edge(self, way: tuple[str, str], target: str, port: str = "in", when: str = "") -> None:
        described = {"id": f"e{len(self.edges)}", "source": {"nodeId": way[0], "port": way[1]}}
        more = {"when": when} if when else {}
        self.edges.append({**described, "target": {"nodeId": target, "port": port}, "bindings": {}, **more})

    def piece(self, depth: int, failure: str) -> tuple[str, list[tuple[str, str]]]:
        """Its first node, and the ways that are still open."""
        made = self.chance.random()
        if depth and self.left > 8 and made < 0.2:
            return self.loop(depth, failure)
        if depth and self.left > 10 and made < 0.4:
            return self.fan_out(depth, failure)
        name = self.node("pass", **{"pass": {}})
        if self.chance.random() < 0.4:
            self.edge((name, "failed"), failure)
        if self.left > 4 and self.chance.random() < 0.3:
            ways = []
            for index in range(self.chance.randrange(2, 5)):
                inner = self.node("pass", **{"pass": {}})
                self.edge((name, "completed"), inner, when=self.chance.choice(WHENS) if index else "")
                ways.append((inner, "completed"))
            return name, ways
        return name, [(name, "completed")]

    def chain(self, depth: int, failure: str, length: int) -> tuple[str, list[tuple[str, str]]]:
        first, ways = self.piece(depth, failure)
        for _ in range(length - 1):
            if self.left < 4:
                break
            following, onward = self.piece(depth, failure)
            for way in ways:
                self.edge(way, following)
            ways = onward
        return first, ways

    def loop(self, depth: int, failure: str) -> tuple[str, list[tuple[str, str]]]:
        name = self.node("loop", loop={"maxIterations": 1, "while": "loop.index < plan.input.n"})
        first, ways = self.chain(depth - 1, failure, self.chance.randrange(1, 4))
        self.edge((name, "body"), first)
        for way in ways:
            self.edge(way, name, "next")
        return name, [(name, "completed"), (name, "exhausted")]

    def fan_out(self, depth: int, failure: str) -> tuple[str, list[tuple[str, str]]]:
        branches = [f"b{index}" for index in range(self.chance.randrange(1, 5))]
        name = self.node("fan_out", fanOut={"branches": branches})
        ends = []
        for branch in branches:
            if self.left > 4 and self.chance.random() < 0.85:
                first, ways = self.chain(depth - 1, failure, self.chance.randrange(1, 3))
                self.edge((name, branch), first)
                ends += ways
            else:
                ends.append((name, branch))
        join = self.node("join", join={"fanOut": name})
        for way in ends:
            self.edge(way, join)
        return name, [(join, "completed")]


def random_plan(seed: int, most: int = 200) -> str:
    """A plan of up to about `most` nodes, as a JSON document."""
    chance = random.Random(seed)
    return _plan(Builder(chance, chance.randrange(3, most) - 2))


def large_plan(seed: int, nodes: int = 990) -> str:
    """A plan of about so many nodes, as a JSON document; the limit is 1,000."""
    return _plan(Builder(random.Random(seed), nodes))


def _plan(builder: Builder) -> str:
    failure = builder.node("end", end={"outcome": "failed", "code": "broken"})
    first, ways = builder.chain(4, failure, 1000)
    done = builder.node("end", end={"outcome": "succeeded"})
    for way in ways:
        builder.edge(way, done)
    fields = {"n": {"type": "integer", "required": True}, "客户名称": {"type": "string", "required": True}}
    graph = {"entry": {"nodeId": first, "port": "in"}, "nodes": builder.nodes, "edges": builder.edges}
    document = {"apiVersion": "loop.plan/v1", "kind": "PlanVersion", "metadata": {"name": "random"}, "input": fields}
    return json.dumps({**document, "graph": graph}, ensure_ascii=False)
