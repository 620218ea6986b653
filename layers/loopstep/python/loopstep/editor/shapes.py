"""What the language has at a place: a mapping with fields, a map of names, a list or a value, and what it is for."""

from __future__ import annotations

from typing import NamedTuple

from loopstep.compiler import grammar
from loopstep.compiler.grammar import LIST, MAPPINGS, Part
from loopstep.compiler.look import Steps, View
from loopstep.nodes import field as kinds
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.field import Field
from loopstep.nodes.node_type import NO_OUTPUT, NodeType

BY_KEY = {node_type.config_key: node_type for node_type in CATALOG.values()}

# Lists of what, by the kind of a config field.
_ITEMS = {
    kinds.ASSIGNMENTS: "assignment",
    kinds.QUESTIONS: "question",
    kinds.TEXTS: grammar.TEXT,
    kinds.NAMES: grammar.ID,
    kinds.CONTEXT: grammar.INPUTS,
}
_HOLDS = {
    kinds.VALUE: "value",
    kinds.MERGE: grammar.VALUES,
    kinds.TEMPLATE: grammar.TEMPLATE,
    kinds.CONDITION: grammar.CONDITION,
    kinds.CHOICE: grammar.CHOICE,
    kinds.FLAG: grammar.FLAG,
    kinds.INTEGER: grammar.INTEGER,
    kinds.NUMBER: grammar.NUMBER,
    kinds.DURATION: grammar.DURATION,
    kinds.TEXT: grammar.TEXT,
}


class Shape(NamedTuple):
    """`holds` as in `grammar`; `part` or `one` (of a node's config) is the field that the place is the value of.

    `node_type` is set inside the config of a node, and where `holds` is "config": its own mapping.
    """

    holds: str
    part: Part | None = None
    one: Field | None = None
    node_type: NodeType | None = None

    @property
    def summary(self) -> str:
        if self.one is not None:
            return self.one.summary
        return self.part.summary if self.part is not None else ""


class Entry(NamedTuple):
    """A name that a mapping may have."""

    name: str
    summary: str
    required: bool
    shape: Shape


NOTHING = Shape("")


def shape_at(steps: Steps) -> Shape:
    """What stands at a place; NOTHING where the language has nothing there."""
    shape = Shape("plan")
    for step in steps:
        shape = _below(shape, step)
    return shape


def _below(shape: Shape, step: str | int) -> Shape:
    holds = shape.holds
    if holds.startswith(LIST):
        return shape._replace(holds=holds.removeprefix(LIST)) if isinstance(step, int) else NOTHING
    if isinstance(step, int):
        return NOTHING if holds != grammar.INPUTS else shape
    if holds == grammar.FIELDS:
        return Shape("schema")
    if holds == grammar.VALUES:
        return Shape("value", node_type=shape.node_type)
    if holds == "config" and shape.node_type is not None:
        return _of_config(shape.node_type, step)
    if holds == "node" and step in BY_KEY:
        return Shape("config", node_type=BY_KEY[step])
    part = MAPPINGS[holds].by_name.get(step) if holds in MAPPINGS else None
    return NOTHING if part is None else Shape(part.holds, part, None, shape.node_type)


def _of_config(node_type: NodeType, name: str) -> Shape:
    one = node_type.by_name.get(name)
    if one is None:
        return NOTHING
    holds = LIST + _ITEMS[one.kind] if one.kind in _ITEMS else _HOLDS[one.kind]
    return Shape(holds, None, one, node_type)


def entries(shape: Shape, node_type: NodeType | None) -> list[Entry]:
    """The names that a mapping of that shape may have; of a node those that its type takes."""
    if shape.holds == "config" and shape.node_type is not None:
        own = shape.node_type
        needed = {*own.required, *own.alternatives[:1]}
        return [Entry(one.name, one.summary, one.name in needed, _of_config(own, one.name)) for one in own.fields]
    mapping = MAPPINGS.get(shape.holds)
    if mapping is None:
        return []
    found = [Entry(part.name, part.summary, part.required, _below(shape, part.name)) for part in mapping.parts]
    return _of_node(found, node_type) if shape.holds == "node" else found


def _of_node(found: list[Entry], node_type: NodeType | None) -> list[Entry]:
    if node_type is None:
        return found
    left_out = set() if node_type.acts_outside else {"retry", "timeout"}
    if node_type.declares_output == NO_OUTPUT:
        left_out.add("output")
    key = node_type.config_key
    own = Entry(key, node_type.summary, True, Shape("config", node_type=node_type))
    return [own, *(entry for entry in found if entry.name not in left_out)]


def node_type_at(view: View | None, steps: Steps) -> NodeType | None:
    """The type of the node that a place belongs to."""
    node = view.node(steps) if view is not None else None
    return node.type if node is not None else None
