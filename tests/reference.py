"""What a run of a plan comes to, worked out from the document alone (LANGUAGE §4-§9): no machine, no records.

Parts of a region run one after another, in their order. `racy` says that another order could come to something else:
a part failed under a join with mode all, or a join takes the first arrivals. Covered: pass, set_variable, send_message
(sent), wait, loop, fan_out, join, end, with top-level fields.
"""

from __future__ import annotations

import re
from typing import Any

from loopstep.expressions.evaluate import RangeFault, evaluate
from loopstep.expressions.parse import parse
from loopstep.expressions.tree import to_tree

Data = dict[str, Any]


class NodeFails(Exception):
    """A node leaves through its `failed` port; `node` is the join's id where a whole region failed."""

    def __init__(self, code: str, node: str | None = None) -> None:
        super().__init__(code)
        self.node = node


class Unhandled(Exception):
    """Nothing takes it on: the branch fails, or the run."""


class Succeeded(Exception):
    """A succeeded end was reached."""


class Reference:
    """One run: `status`, `code`, `output`, `messages` (scope, text) and `activations` (node ids) after `run`."""

    def __init__(self, document: Data, given: Data) -> None:
        graph = document["graph"]
        self.document, self.entry = document, graph["entry"]
        self.nodes = {node["id"]: node for node in graph["nodes"]}
        self.edges = graph["edges"]
        self.input = conform(given, document.get("input", {}), "input.invalid")
        self.schemas = document.get("state", {})
        self.state = conform({}, self.schemas, "state")
        self.messages: list[tuple[str, str]] = []
        self.activations: list[str] = []
        self.racy = False

    def run(self) -> Reference:
        self.status, self.code, self.output = "failed", None, None
        entry = {
            "id": "",
            "target": {"nodeId": self.entry["nodeId"], "port": "in"},
            "bindings": self.entry.get("input"),
        }
        try:
            self.walk(entry, {"passed": self.input}, [], None)
        except Succeeded as ended:
            self.status, self.output = "succeeded", ended.args[0]
        except Unhandled as failed:
            self.code = failed.args[0]
        return self

    # -- the walk ----------------------------------------------------------------------------------------------------

    def walk(self, edge: Data, source: Data, loops: list[Data], join: str | None) -> Data:
        """From an edge on; returns what arrives at `join`, the join of the region around."""
        loops = [dict(each) for each in loops]
        while edge["target"]["nodeId"] != join:
            node = self.nodes[edge["target"]["nodeId"]]
            self.activations.append(node["id"])
            try:
                left, port, source = self.activate(node, edge, source, loops)
                unmatched = "edge.none_matched"
            except (NodeFails, RangeFault) as failure:
                if node["type"] == "loop":
                    loops.pop()
                unmatched = code_of(failure)
                left, port = getattr(failure, "node", None) or node["id"], "failed"
                source = {"error": {"code": unmatched}}
            found = self.exit(left, port, source, loops)
            if found is None:
                raise Unhandled(unmatched)
            edge = found
        try:
            return self.bound(self.nodes[edge["target"]["nodeId"]], edge, source, loops)
        except (NodeFails, RangeFault) as failure:
            raise Unhandled(code_of(failure)) from None

    def exit(self, node: str, port: str, source: Data, loops: list[Data]) -> Data | None:
        leaving = [edge for edge in self.edges if edge["source"] == {"nodeId": node, "port": port}]
        leaving.sort(key=lambda edge: "when" not in edge)
        data = self.roots(source, loops)
        return next((edge for edge in leaving if "when" not in edge or value({"expr": edge["when"]}, data)), None)

    def roots(self, source: Data, loops: list[Data]) -> Data:
        found: Data = {"plan": {"input": self.input}, "state": self.state, **source}
        counters: Data | None = None
        for each in loops:
            more = {"parent": counters} if counters else {}
            most = self.nodes[each["id"]]["loop"]["maxIterations"]
            counters = {"index": each["n"], "iteration": each["n"] + 1, "maxIterations": most, **more}
        return found | ({"loop": counters} if counters else {})

    def bound(self, node: Data, edge: Data, source: Data, loops: list[Data], kept: Data | None = None) -> Data:
        """The node's input as the edge binds it."""
        ends = node["type"] == "end" and node["end"]["outcome"] == "succeeded"
        fields = node.get("input", self.document.get("output", {}) if ends else {})
        bindings = edge.get("bindings")
        data = self.roots(source, loops)
        if bindings is not None:
            values = {name: value(each, data) for name, each in bindings.items()}
        else:
            passed = source["passed"] if kept is None else {}
            values = {name: passed[name] for name in fields if name in passed}
        new = {name: each for name, each in values.items() if each is not None}
        own = ends and "input" not in node
        return conform((kept or {}) | new, fields, "output.contract" if own else "input.contract")

    # -- nodes -------------------------------------------------------------------------------------------------------

    def activate(self, node: Data, edge: Data, source: Data, loops: list[Data]) -> tuple[str, str, Data]:
        """The node and the port left and what an edge out of it may read; a loop moves `loops`."""
        if node["type"] == "loop":
            return node["id"], *self.loop(node, edge, source, loops)
        failed_end = node["type"] == "end" and node["end"]["outcome"] == "failed"
        given = {} if failed_end and "bindings" not in edge else self.bound(node, edge, source, loops)
        left = {"input": given, "passed": given}
        data = self.roots(left, loops)
        if any(name not in given for name in node.get("preconditions", ())):
            raise NodeFails("precondition.missing")
        if node["type"] == "fan_out":
            return self.region(node, left, data, loops)
        self.act(node, given, data)
        return node["id"], "completed", left

    def act(self, node: Data, given: Data, data: Data) -> None:
        if node["type"] == "set_variable":
            assigned = {each["state"]: value(each["value"], data) for each in node["setVariable"]["assignments"]}
            new = {name: each for name, each in assigned.items() if each is not None}
            self.state = conform(self.state | new, self.schemas, "state.contract")
        elif node["type"] == "send_message":
            config = node["sendMessage"]
            self.messages.append((value(config["scope"], data), render(config["text"], data)))
        elif node["type"] == "end":
            if node["end"]["outcome"] == "failed":
                raise Unhandled(node["end"]["code"])
            raise Succeeded(conform(given, self.document.get("output", {}), "output.contract"))

    def loop(self, node: Data, edge: Data, source: Data, loops: list[Data]) -> tuple[str, Data]:
        if edge["target"]["port"] == "next":
            counter = loops[-1]
            counter["input"], counter["n"] = self.bound(node, edge, source, loops, counter["input"]), counter["n"] + 1
        else:
            loops.append({"id": node["id"], "n": 0, "input": {}})  # a failure on the way in leaves it, too
            loops[-1]["input"] = self.bound(node, edge, source, loops[:-1])
        counter, config = loops[-1], node["loop"]
        left = {"input": counter["input"], "passed": counter["input"]}
        done = counter["n"] >= config["maxIterations"]
        again = value({"expr": config["while"]}, self.roots(left, loops)) if "while" in config else not done
        port = "completed" if not again else "exhausted" if done else "body"
        if port != "body":
            loops.pop()
        return port, left

    def region(self, node: Data, left: Data, data: Data, loops: list[Data]) -> tuple[str, str, Data]:
        """All parts of a region and its join."""
        config = node["fanOut"]
        join = next(each for each in self.nodes.values() if each.get("join", {}).get("fanOut") == node["id"])
        parts: list[tuple[Any, str, Data]] = [(name, name, {}) for name in config.get("branches", ())]
        if "items" in config:
            items = value(config["items"], data)
            if len(items) > config.get("maxItems", 500):
                raise NodeFails("fan_out.too_many")
            parts = [(number, "item", {"item": item}) for number, item in enumerate(items)]
        arrived: dict[Any, Data] = {}
        mode = join["join"].get("mode", "all")
        need = {"all": len(parts), "any": 1}.get(mode, join["join"].get("count", 0))
        self.racy |= mode != "all" and len(parts) > 0
        failed, lost = None, 0
        for part, port, more in parts if len(parts) >= need else ():  # too few to begin with: none begins
            try:
                first = self.exit(node["id"], port, left | more, loops)
                if first is None:
                    raise Unhandled("edge.none_matched")
                arrived[part] = self.walk(first, left | more, loops, join["id"])
            except Unhandled as failure:
                failed, lost = failure.args[0], lost + 1
            if (mode == "all" and failed) or (mode != "all" and (len(arrived) >= need or len(parts) - lost < need)):
                break
        self.racy |= failed is not None
        self.activations.append(join["id"])
        if mode != "all":
            failed = "join.no_winner" if len(arrived) < need else None
        if failed is not None:
            raise NodeFails(failed, join["id"])
        return join["id"], "completed", {"output": (output := self.merged(join, arrived, loops)), "passed": output}

    def merged(self, join: Data, arrived: dict[Any, Data], loops: list[Data]) -> Data:
        by_name = {part: brought for part, brought in arrived.items() if isinstance(part, str)}
        roots: Data = {"items": list(arrived.values()), "branches": by_name}
        if arrived:
            first = next(iter(arrived))
            roots["winner"] = {"branch" if by_name else "index": first, "result": arrived[first]}
        data = self.roots(roots, loops)
        try:
            found = {name: value(each, data) for name, each in join["join"].get("merge", {}).items()}
            new = {name: each for name, each in found.items() if each is not None}
            return conform(new, join.get("output", {}), "output.contract")
        except (NodeFails, RangeFault) as failure:
            raise NodeFails(code_of(failure), join["id"]) from None


def code_of(failure: Exception) -> str:
    return str(failure.args[0]) if isinstance(failure, NodeFails) else RangeFault.code


# -- values ----------------------------------------------------------------------------------------------------------


def value(source: Any, data: Data) -> Any:
    """A ValueExpr."""
    if "value" in source:
        return source["value"]
    ast, faults = parse(source.get("expr", source.get("ref")))
    assert ast is not None, faults
    found = evaluate(to_tree(ast), data)
    return source.get("default") if found is None else found


def render(text: str, data: Data) -> str:
    """A template over texts, integers and booleans."""

    def shown(match: re.Match[str]) -> str:
        found = value({"expr": match[1]}, data)
        return "" if found is None else str(found).lower() if isinstance(found, bool) else str(found)

    return re.sub(r"\{\{(.*?)\}\}", shown, text)


def conform(values: Data, fields: Data, code: str) -> Data:
    """Defaults filled in; raises NodeFails(code) for a field that is missing or out of its bounds."""
    found = {name: schema["default"] for name, schema in fields.items() if "default" in schema} | values
    for name, schema in fields.items():
        if name not in found:
            if schema.get("required"):
                raise NodeFails(code)
        elif schema["type"] == "integer":
            least, most = schema.get("minimum", -(2**53)), schema.get("maximum", 2**53)
            if not isinstance(found[name], int) or not least <= found[name] <= most:
                raise NodeFails(code)
    return {name: each for name, each in found.items() if name in fields}
