"""Words that a place takes: types, choices, ids, ports, inputs, paths of state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from loopstep.compiler import grammar
from loopstep.compiler.look import View
from loopstep.compiler.model import Node
from loopstep.convert.registry import KINDS, TARGETS, entry
from loopstep.editor.analysis import value_at
from loopstep.editor.cursor import Cursor
from loopstep.editor.items import CHOICE, NODE, PORT, REFERENCE, TYPE, VALUE, Item
from loopstep.editor.shapes import Shape
from loopstep.editor.texts import literal_text, quoted
from loopstep.nodes import field as kinds
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.node_type import FAN_OUT
from loopstep.source.document import Mapping, Scalar
from loopstep.types.schema import Schema, describe

DURATIONS: Final = ("PT30S", "PT5M", "PT1H", "P1D", "P7D")
FAN_OUT_FIELD: Final = "fanOut"
_CONTEXTS: Final = {"none": "no inputs", "input": "all inputs"}


class Words:
    """A place, and the single words that may stand there."""

    def __init__(self, view: View | None, root: Any, cursor: Cursor, shape: Shape, json_style: bool) -> None:
        self.view = view
        self.root = root
        self.cursor = cursor
        self.shape = shape
        self.json = json_style

    def item(self, label: str, kind: str, detail: str = "", documentation: str = "", order: int = 5) -> Item:
        """A word that replaces what is written."""
        insert = label
        if not self.cursor.quote:
            insert = json.dumps(label, ensure_ascii=False) if self.json else quoted(label)
        return Item(label, kind, detail, insert, self.cursor.start, self.cursor.end, documentation, order=order)

    def literal(self, value: Any, detail: str) -> Item:
        text = value if isinstance(value, str) and self.cursor.quote else literal_text(value, self.json)
        shown = value if isinstance(value, str) else literal_text(value, True)
        return Item(shown, VALUE, detail, text, self.cursor.start, self.cursor.end, order=3)

    def words(self) -> Iterator[Item]:
        """One of the words that the place takes."""
        holds = self.shape.holds
        if holds == grammar.NODE_TYPE:
            yield from (self.item(each.name, TYPE, each.ports, each.summary) for each in CATALOG.values())
        elif holds == grammar.TYPE:
            yield from (self.item(name, TYPE, "", told) for name, told in grammar.TYPES.items())
        elif holds == grammar.TARGET:
            yield from (self.item(name, TYPE, "", grammar.TYPES[name]) for name in TARGETS if name != "scope")
        elif holds == grammar.KIND:
            yield from (self.item(name, CHOICE) for name in KINDS)
        elif holds == grammar.MODE:
            yield from (self.item(name, CHOICE) for name in self.modes())
        elif holds in (grammar.CHOICE, grammar.CONSTANT):
            one, part = self.shape.one, self.shape.part
            choices = one.choices if one is not None else part.choices if part is not None else ()
            default = one.default if one is not None else None
            yield from (self.item(name, CHOICE, "default" if name == default else "") for name in choices)
        elif holds == grammar.FLAG:
            yield from (self.literal(flag, "") for flag in (True, False))
        elif holds == grammar.DURATION:
            yield from (self.item(text, VALUE, "duration") for text in DURATIONS)
        elif self.view is not None:
            yield from self.names_of_the_plan(self.view)

    def modes(self) -> list[str]:
        around = value_at(self.root, self.cursor.steps[:-1])
        to = around.entries.get("to") if isinstance(around, Mapping) else None
        wanted = to.value if isinstance(to, Scalar) else None
        found = [entry(kind, target) for kind in KINDS for target in TARGETS if wanted in (None, target)]
        return sorted({mode for each in found if each is not None for mode in each.modes})

    def names_of_the_plan(self, view: View) -> Iterator[Item]:
        """Ids, ports, inputs, paths of state."""
        holds, one = self.shape.holds, self.shape.one
        node = view.node(self.cursor.steps)
        if holds == grammar.NODE_ID:
            yield from (self.node(each) for each in view.plan.nodes if each.id)
        elif one is not None and one.name == FAN_OUT_FIELD and one.kind == kinds.TEXT:
            yield from (self.node(each) for each in view.plan.nodes if each.type and each.type.role == FAN_OUT)
        elif holds == grammar.EXIT_PORT:
            yield from self.exits(view)
        elif holds == grammar.ENTRY_PORT:
            yield from self.ways_in(view)
        elif holds == grammar.INPUTS and node is not None:
            if one is not None and one.kind == kinds.CONTEXT and not isinstance(self.cursor.steps[-1], int):
                yield from (self.item(word, CHOICE, told) for word, told in _CONTEXTS.items())
            for name, schema in (node.input or {}).items():
                yield self.item(name, REFERENCE, describe(schema), schema.description)
        elif holds == grammar.STATE_PATH:
            for name, schema in _paths(view.plan.state):
                yield self.item(name, REFERENCE, describe(schema), schema.description, 3)

    def node(self, node: Node) -> Item:
        return self.item(node.id, NODE, node.type.name if node.type is not None else "", node.title)

    def exits(self, view: View) -> Iterator[Item]:
        arc = view.arc(self.cursor.steps)
        node = arc.source if arc is not None else None
        if node is None or node.type is None:
            return
        wired = {each.port for each in view.graph.leaving.get(node.id, ()) if each is not arc}
        outputs = node.type.outputs(node) or {}
        for port in node.type.exits(node).names:
            fields = outputs.get(port)
            told = f"output: {', '.join(fields)}" if fields else ""
            yield self.item(port, PORT, "wired already" if port in wired else "", told, 5 if port in wired else 3)

    def ways_in(self, view: View) -> Iterator[Item]:
        arc = view.arc(self.cursor.steps)
        node = arc.target if arc is not None else None
        known = node.type.entries if node is not None and node.type is not None else ("in",)
        yield from (self.item(port, PORT) for port in known)


def _paths(fields: dict[str, Schema], before: str = "", depth: int = 0) -> Iterator[tuple[str, Schema]]:
    for name, schema in fields.items():
        yield before + name, schema
        if schema.properties and depth < 3:
            yield from _paths(schema.properties, f"{before}{name}.", depth + 1)
