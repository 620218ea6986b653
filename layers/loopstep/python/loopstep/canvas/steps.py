"""What a canvas node becomes in the plan: one node, and behind it the one that writes its variables (CANVAS §2, §3)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from loopstep.canvas.deliver import Delivery
from loopstep.canvas.graph import Graph
from loopstep.canvas.inputs import Inputs
from loopstep.canvas.model import Canvas, CanvasNode, Json
from loopstep.canvas.names import Names
from loopstep.canvas.node_types import FILES, LISTED, RUN_ID
from loopstep.convert.registry import sure
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.node_type import NO_OUTPUT
from loopstep.source.document import Mapping, Scalar, Sequence, Value, plain

# The ids of knowledge sources, by what an editor calls them, and the kinds of source that ask them (CANVAS §3.5).
_EVERY = ("DOCUMENT", "STRUCTURED_DATA", "GRAPH", "HYBRID")
NUMBER = "knowledgeBaseId"
SOURCE_IDS = {
    "sourceIds": _EVERY,
    "knowledgeBaseIds": ("DOCUMENT", "HYBRID"),
    "documentIds": ("DOCUMENT", "HYBRID"),
    "datasourceIds": ("STRUCTURED_DATA", "HYBRID"),
    "dataSourceIds": ("STRUCTURED_DATA", "HYBRID"),
    "graphIds": ("GRAPH", "HYBRID"),
}


def source_ids(node: CanvasNode) -> dict[str, Value]:
    """The ids of the sources that a retrieval of its kind asks, as texts, each once, with its first place."""
    source = node.value("source")
    kind = source.value if isinstance(source, Scalar) else ""
    found: dict[str, Value] = {}
    for key, kinds in SOURCE_IDS.items():
        listed = node.value(key)
        for item in listed.items if isinstance(listed, Sequence) and kind in kinds else ():
            found.setdefault(str(plain(item)), item)
    return found


def base_number(node: CanvasNode) -> int | None:
    """The knowledge base that a retrieval's data names by a number, which is what `knowledgeBaseId` delivers then."""
    listed = node.value("knowledgeBaseIds")
    named = [node.value(NUMBER), *(listed.items if isinstance(listed, Sequence) else ())]
    texts = [str(plain(each)) for each in named if each is not None]
    return next((int(text) for text in texts if re.fullmatch("[0-9]{1,15}", text)), None)


@dataclass(frozen=True, slots=True)
class Steps:
    """Plan nodes in a row. `bindings`: of the edge into the first; `links`: of the edges between them.

    `exits`: by handle ("" but for conditions) the port that the last is left by.
    """

    nodes: tuple[Json, ...]
    bindings: Json | None
    links: tuple[Json, ...] = ()
    exits: dict[str, str] = field(default_factory=lambda: {"": "completed"})


class Stepper:
    """Makes the steps of every node."""

    def __init__(self, canvas: Canvas, graph: Graph, inputs: list[Inputs], delivery: Delivery, ids: Names) -> None:
        self.canvas, self.graph, self.inputs, self.delivery, self.ids = canvas, graph, inputs, delivery, ids

    def is_step(self, node: CanvasNode) -> bool:
        """Whether anything has to happen where the node stands; an output node may only deliver."""
        if not node.type.delivers:
            return True
        return bool(
            self.graph.leaving[node.index]
            or self.inputs[node.index].preconditions
            or node.index in self.delivery.written
        )

    def steps(self, node: CanvasNode) -> Steps:
        """The plan nodes of a canvas node."""
        if node.type.registers:
            return self._registers(node)
        if node.type.delivers:
            return self._delivers(node)
        return self._asks(node)

    def _head(self, node: CanvasNode, plan_type: str, inputs: Inputs | None = None) -> Json:
        """What all plan nodes have; inputs only where there are any."""
        made: Json = {"id": node.plan_id, "type": plan_type}
        if node.title:
            made["title"] = node.title
        if inputs is not None and inputs.types:
            made["input"] = inputs.fields()
        if inputs is not None and inputs.preconditions:
            made["preconditions"] = list(inputs.preconditions)
        return made

    def _registers(self, node: CanvasNode) -> Steps:
        """userInput: each variable that the Invocation brought, converted to its type (CANVAS §3.1).

        One that does not convert is not written; a required one fails the node as any required input does (CANVAS §2).
        """
        if not node.outputs:
            return Steps(({**self._head(node, "pass"), "pass": {}},), None)
        inputs, assignments = Inputs(), []
        for each in node.outputs:
            value: Json = {"ref": f"plan.input.{each.name}", "convert": {"to": each.type}}
            if not sure("value", each.type):
                if each.required:
                    inputs.types[each.name], inputs.bindings[each.name] = each.type, value
                    inputs.preconditions.append(each.name)
                    value = {"ref": f"input.{each.name}"}
                else:
                    value["convert"]["orAbsent"] = True
            assignments.append({"state": each.name, "value": value})
        made = {**self._head(node, "set_variable", inputs), "setVariable": {"assignments": assignments}}
        return Steps((made,), inputs.bindings or None)

    def _asks(self, node: CanvasNode) -> Steps:
        """A node that asks a model or a source, and the write of what it brings."""
        inputs, plan_type = self.inputs[node.index], CATALOG[node.type.plan_type]
        made = self._head(node, plan_type.name, inputs)
        made[plan_type.config_key] = self._config(node, inputs)
        if plan_type.declares_output != NO_OUTPUT:
            alone = len(node.outputs) == 1
            made["output"] = {
                each.name: {"type": each.type, **({"required": True} if alone else {})} for each in node.outputs
            }
        bindings = dict(inputs.bindings) if inputs.types else None
        if node.type.branches:
            handles = {edge.handle for edge in self.graph.leaving[node.index]} | set(self._branches(node))
            return Steps((made,), bindings, (), {handle: handle for handle in sorted(handles)})
        if not node.outputs:
            return Steps((made,), bindings)
        fields = {each.name: each.type for each in node.outputs}
        write = self._write(node, "_set", {name: (kind, name) for name, kind in fields.items()})
        brought: Json = {name: {"ref": f"output.{name}"} for name in fields}
        if node.type.asks_sources and NUMBER in fields and (number := base_number(node)) is not None:
            brought[NUMBER] = {"value": number}
        return Steps((made, write), bindings, (brought,))

    def _branches(self, node: CanvasNode) -> list[str]:
        conditions = node.value("conditions")
        return [f"branch_{i}" for i in range(len(conditions.items))] if isinstance(conditions, Sequence) else []

    def _write(self, node: CanvasNode, ending: str, fields: dict[str, tuple[str, str]]) -> Json:
        """A set_variable behind a node: by input its type and the state it goes to."""
        return {
            "id": self.ids.make(node.plan_id, ending),
            "type": "set_variable",
            "input": {name: {"type": kind} for name, (kind, _) in fields.items()},
            "setVariable": {
                "assignments": [
                    {"state": state, "value": {"ref": f"input.{name}"}} for name, (_, state) in fields.items()
                ]
            },
        }

    def _config(self, node: CanvasNode, inputs: Inputs) -> Json:
        """The plan node's config: texts with their placeholders bound, settings as they stand."""
        made: Json = {}
        for key, name in node.type.settings:
            if (value := node.value(key)) is not None:
                made[name] = plain(value)
        for key, name in node.type.templates:
            if (value := node.value(key)) is not None:
                made[name] = self._text(value, inputs)
        if node.type.branches and (value := node.value("conditions")) is not None:
            made["conditions"] = self._conditions(value, inputs)
        if node.type.asks_sources and (ids := source_ids(node)):
            made["sourceIds"] = list(ids)
        if inputs.context:
            made["context"] = "input" if inputs.context == list(inputs.types) else list(inputs.context)
        if node.type.missing and inputs.shown:
            made["missing"] = "keep"
        return made

    def _text(self, value: Value, inputs: Inputs) -> object:
        text = value.value if isinstance(value, Scalar) else None
        return inputs.rewritten(text) if isinstance(text, str) else plain(value)

    def _conditions(self, value: Value, inputs: Inputs) -> object:
        if not isinstance(value, Sequence):
            return plain(value)
        found = []
        for item in value.items:
            text = item.entries.get("expression") if isinstance(item, Mapping) else None
            found.append({"expression": self._text(text, inputs)} if text is not None else {})
        return found

    def _delivers(self, node: CanvasNode) -> Steps:
        """An output node that something comes behind lists the files; one that shares fields writes its own."""
        inputs, fields = Inputs(), {}
        own = self.inputs[node.index]
        for name in own.preconditions:
            inputs.types[name] = own.types[name]
            if name in own.bindings:
                inputs.bindings[name] = own.bindings[name]
            inputs.preconditions.append(name)
        slots = self.delivery.written.get(node.index, [])
        bindings: Json = dict(inputs.bindings)
        for slot, kind, value in slots:
            fields[slot] = (kind, value)
        if self.graph.leaving[node.index]:
            return self._lists(node, inputs, fields, bindings)
        if not fields:
            return Steps(({**self._head(node, "pass", inputs), "pass": {}},), bindings)
        inputs.types |= {slot: kind for slot, (kind, _) in fields.items() if slot not in inputs.types}
        bindings |= {slot: value for slot, (_, value) in fields.items() if slot not in inputs.preconditions}
        assignments = [{"state": slot, "value": {"ref": f"input.{slot}"}} for slot in fields]
        made = {**self._head(node, "set_variable", inputs), "setVariable": {"assignments": assignments}}
        return Steps((made,), bindings)

    def _lists(self, node: CanvasNode, inputs: Inputs, fields: dict[str, tuple[str, Json]], bindings: Json) -> Steps:
        made = {**self._head(node, "list_files", inputs), "listFiles": {}}
        named = {FILES: ("array", FILES), RUN_ID: ("string", RUN_ID)}
        named |= {slot: (kind, slot) for slot, (kind, _) in fields.items()}
        brought: Json = {FILES: {"ref": f"output.{LISTED}"}, RUN_ID: {"ref": "plan.run.id"}}
        brought |= {slot: value for slot, (_, value) in fields.items()}
        return Steps((made, self._write(node, "_set", named)), bindings if inputs.types else None, (brought,))
