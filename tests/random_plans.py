"""Random plans that compile: sequences, choices, loops and regions, nested, whose outcome `reference.py` can work out.

Every node but ends takes one integer `n`; state fields are integers. What a part of a region may touch is its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Data = dict[str, Any]
FIELDS = tuple("abcdefgh")
NEED = {"type": "integer", "required": True}


class Loose(NamedTuple):
    """An exit that waits for its target: what an edge out of it may read as an integer."""

    node: str
    port: str
    reads: tuple[str, ...]
    when: str | None = None


class Place(NamedTuple):
    """Where a block stands: the state fields that it may read and write, the counters it may read."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    counters: tuple[str, ...] = ()
    depth: int = 0


@dataclass
class Plans:
    """Draws plans. `races`: joins with mode any and count; `failures`: nodes that can fail, failed ends."""

    draw: random.Random
    races: bool = True
    failures: bool = True
    nodes: list[Data] = field(default_factory=list)
    edges: list[Data] = field(default_factory=list)

    def plan(self) -> Data:
        """A whole document as JSON data."""
        place = Place(FIELDS, FIELDS)
        bounds = {"minimum": -15, "maximum": 15} if self.failures else {}
        entry = {"nodeId": "first", "port": "in", "input": {"n": {"ref": "plan.input.n"}}}
        self.nodes.append({"id": "first", "type": "pass", "input": {"n": NEED}, "pass": {}})
        loose = self.blocks([Loose("first", "completed", ("input.n",))], place, self.draw.randint(1, 4))
        self.nodes.append({"id": "done", "type": "end", "end": {"outcome": "succeeded"}})
        for each in loose:
            bound = {name: {"ref": f"state.{name}"} for name in FIELDS[:4]} | {"n": self.number(each, place)}
            self.edge(each, "done", "in", bound)
        return {
            "apiVersion": "loop.plan/v1",
            "kind": "PlanVersion",
            "input": {"n": NEED, "list": {"type": "array", "items": {"type": "integer"}, "required": True}},
            "output": dict.fromkeys(("n", *FIELDS[:4]), NEED),
            "state": {name: {"type": "integer", "required": True, "default": 0, **bounds} for name in FIELDS},
            "graph": {"entry": entry, "nodes": self.nodes, "edges": self.edges},
        }

    # -- blocks ------------------------------------------------------------------------------------------------------

    def blocks(self, loose: list[Loose], place: Place, count: int) -> list[Loose]:
        for _ in range(count):
            makers = [self.simple, self.simple, self.choice]
            if place.depth < 3:
                makers += [self.loop, self.branches, self.items]
            loose = self.draw.choice(makers)(loose, place)
        return loose

    def simple(self, loose: list[Loose], place: Place) -> list[Loose]:
        kind = self.draw.choice(("pass", "send_message", "set_variable", "set_variable", "wait"))
        config: Data = {"pass": {}}
        if kind == "set_variable" and not place.writes:
            kind = "send_message"
        if kind == "wait":
            config = {"wait": {"duration": {"value": "PT0S"}}}
        if kind == "send_message":
            text = " ".join(f"{{{{ {each} }}}}" for each in ("input.n", *self.some(self.readable(place), 2)))
            config = {"sendMessage": {"scope": {"value": self.draw.choice(("red", "blue"))}, "text": text}}
            config |= {} if self.failures else {"retry": {"maxAttempts": 2}}
        if kind == "set_variable":
            chosen = self.some(place.writes, 2) or [place.writes[0]]
            read = ("input.n", *self.readable(place))
            config = {
                "setVariable": {"assignments": [{"state": name, "value": self.expression(read)} for name in chosen]}
            }
        node = self.node(kind, config, place)
        self.join_up(loose, node, place)
        out = [Loose(node["id"], "completed", ("input.n",))]
        return out + self.failing(node, place)

    def failing(self, node: Data, place: Place) -> list[Loose]:
        """Now and then the failed port is wired."""
        if not self.failures or self.draw.random() < 0.6:
            return []
        when = "error.code == 'state.contract'" if self.draw.random() < 0.3 else None
        return [Loose(node["id"], "failed", (), when)]

    def choice(self, loose: list[Loose], place: Place) -> list[Loose]:
        """Two or three ways; with failures one may be a failed end, or there is no default."""
        node = self.node("pass", {"pass": {}}, place)
        self.join_up(loose, node, place)
        ways: list[Loose] = []
        tests = self.draw.randint(1, 2)
        for _ in range(tests):
            read = self.draw.choice(("input.n", *self.readable(place)))
            test = f"{read} {self.draw.choice(('<', '>=', '==', '!='))} {self.draw.randint(0, 9)}"
            if self.draw.random() < 0.3:
                test = f"!({test}) || {read} > {self.draw.randint(0, 30)}"
            ways.append(Loose(node["id"], "completed", ("input.n",), test))
        if not self.failures or self.draw.random() < 0.85:
            ways.append(Loose(node["id"], "completed", ("input.n",)))
        out: list[Loose] = []
        for way in ways:
            if self.failures and way is not ways[-1] and self.draw.random() < 0.2:
                self.nodes.append(
                    {"id": f"end{len(self.nodes)}", "type": "end", "end": {"outcome": "failed", "code": "gave_up"}}
                )
                self.edge(way, self.nodes[-1]["id"], "in", None)
            elif self.draw.random() < 0.5:
                out += self.blocks([way], place._replace(depth=place.depth + 1), 1)
            else:
                out.append(way)
        return out

    def loop(self, loose: list[Loose], place: Place) -> list[Loose]:
        config: Data = {"maxIterations": self.draw.randint(1, 3)}
        body_counters = ("loop.index", "loop.iteration", *(f"loop.parent.{c[5:]}" for c in place.counters[:2]))
        if self.draw.random() < 0.6:
            read = self.draw.choice(("input.n", "loop.index", *self.readable(place._replace(counters=()))))
            config["while"] = f"{read} < {self.draw.randint(0, 5)}"
        node = self.node("loop", {"loop": config}, place)
        self.join_up(loose, node, place)
        inside = place._replace(counters=body_counters, depth=place.depth + 1)
        start = Loose(node["id"], "body", ("input.n", "loop.index"))
        for each in self.blocks([start], inside, self.draw.randint(1, 2)):
            self.edge(each, node["id"], "next", self.draw.choice(({"n": self.number(each, inside)}, {}, None)))
        out = [Loose(node["id"], "completed", ("input.n",))]
        if "while" in config:
            out.append(Loose(node["id"], "exhausted", ("input.n",)))
        return out

    def branches(self, loose: list[Loose], place: Place) -> list[Loose]:
        names = [f"b{len(self.nodes)}_{number}" for number in range(self.draw.randint(1, 4))]
        fan_out = self.node("fan_out", {"fanOut": {"branches": names}}, place)
        self.join_up(loose, fan_out, place)
        reads = place.reads if not place.writes else tuple(x for x in place.reads if x not in place.writes)
        mine = [place.writes[number :: len(names)] for number in range(len(names))]
        parts = [
            self.part(fan_out, name, place._replace(reads=reads + own, writes=own, depth=place.depth + 1))
            for name, own in zip(names, mine, strict=True)
        ]
        mode = self.mode(len(names))
        merge: Data = {"n": {"expr": "length(items.n)"}}
        if mode["mode"] == "all":
            merge = {"n": {"expr": " + ".join(f"branches.{name}.n" for name in names)}}
        elif mode["mode"] == "any" and self.draw.random() < 0.5:
            merge = {"n": {"ref": "winner.result.n"}}
        return self.joined(fan_out, parts, place, mode, merge)

    def items(self, loose: list[Loose], place: Place) -> list[Loose]:
        config: Data = {"items": {"ref": "plan.input.list"}, "maxConcurrency": self.draw.choice((1, 3, 40))}
        if self.failures and self.draw.random() < 0.1:
            config["maxItems"] = 2
        fan_out = self.node("fan_out", {"fanOut": config}, place)
        self.join_up(loose, fan_out, place)
        inside = place._replace(writes=(), depth=place.depth + 1)
        parts = [self.part(fan_out, "item", inside)]
        mode = self.mode(self.draw.randint(1, config.get("maxItems", 3)))
        merge: Data = {"n": {"expr": "length(items.n)"}}
        if mode["mode"] == "any" and self.draw.random() < 0.5:
            merge = {"n": {"ref": self.draw.choice(("winner.result.n", "winner.index"))}}
        return self.joined(fan_out, parts, place, mode, merge)

    def part(self, fan_out: Data, port: str, place: Place) -> tuple[list[Loose], Place]:
        read = "item" if port == "item" else "input.n"
        start = [Loose(fan_out["id"], port, (read,))]
        if self.draw.random() < 0.3:
            limit = self.draw.randint(0, 9)
            start = [Loose(fan_out["id"], port, (read,), f"{read} < {limit}"), *start]
        return self.blocks(start, place, self.draw.randint(0, 2)), place

    def joined(
        self, fan_out: Data, parts: list[tuple[list[Loose], Place]], place: Place, mode: Data, merge: Data
    ) -> list[Loose]:
        config = {"join": {"fanOut": fan_out["id"], "merge": merge, **mode}, "output": {"n": NEED}}
        join = self.node("join", config, place)
        for loose, inside in parts:
            for each in loose:
                self.edge(each, join["id"], "in", {"n": self.number(each, inside)})
        out = [Loose(join["id"], "completed", ("output.n",))]
        return out + ([Loose(join["id"], "failed", ())] if self.failures and self.draw.random() < 0.5 else [])

    def mode(self, parts: int) -> Data:
        if not self.races or self.draw.random() < 0.6:
            return {"mode": "all"}
        return self.draw.choice(({"mode": "any"}, {"mode": "count", "count": self.draw.randint(1, parts)}))

    # -- pieces ------------------------------------------------------------------------------------------------------

    def node(self, kind: str, config: Data, place: Place) -> Data:
        need = {**NEED, "maximum": 20} if self.failures and self.draw.random() < 0.15 else NEED
        node = {"id": f"{kind}{len(self.nodes)}", "type": kind, "input": {"n": need}, **config}
        self.nodes.append(node)
        return node

    def join_up(self, loose: list[Loose], node: Data, place: Place) -> None:
        for each in loose:
            passed = "output.n" in each.reads or ("input.n" in each.reads and self.draw.random() < 0.3)
            self.edge(each, node["id"], "in", None if passed else {"n": self.number(each, place)})

    def edge(self, loose: Loose, target: str, port: str, bindings: Data | None) -> None:
        edge: Data = {
            "id": f"e{len(self.edges)}",
            "source": {"nodeId": loose.node, "port": loose.port},
            "target": {"nodeId": target, "port": port},
        }
        if loose.when is not None:
            edge["when"] = loose.when
        if bindings is not None:
            edge["bindings"] = bindings
        self.edges.append(edge)

    def readable(self, place: Place) -> tuple[str, ...]:
        return (*(f"state.{name}" for name in place.reads), *place.counters, "plan.input.n")

    def number(self, loose: Loose, place: Place) -> Data:
        counters = place.counters
        return self.expression(
            (*loose.reads * 3, *(f"state.{name}" for name in place.reads), *counters, "plan.input.n")
        )

    def expression(self, reads: tuple[str, ...]) -> Data:
        one, other = self.draw.choice(reads), self.draw.choice(reads)
        return self.draw.choice(
            (
                {"ref": one},
                {"expr": f"{one} + {self.draw.randint(1, 5)}"},
                {"expr": f"{one} + {other}"},
                {"expr": f"({one} - {other}) * {self.draw.randint(1, 3)}"},
            )
        )

    def some(self, choices: tuple[str, ...], most: int) -> list[str]:
        return self.draw.sample(choices, min(len(choices), self.draw.randint(0, most)))
