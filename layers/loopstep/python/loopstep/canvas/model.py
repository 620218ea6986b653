"""A canvas as `document` leaves it: nodes and edges in document order, what they declare, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loopstep.source.document import Mapping, Place, Value

if TYPE_CHECKING:
    from loopstep.canvas.node_types import CanvasType

IO_TYPES = ("string", "number", "boolean", "array", "object", "filePath", "directoryPath")


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a node writes: its variable's name, its type and its kind of CANVAS §4."""

    name: str
    type: str
    kind: str
    at: Value | None = None  # None: nothing declares it, as the default `result`
    required: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """`mapping`: the output field of another node that an input is taken from."""

    node: str
    field: str
    at: Value


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entry of `data.inputs` or `data.fields`."""

    name: str
    type: str
    required: bool
    mapping: Choice | None
    mode: str | None
    at: Value


@dataclass(frozen=True, slots=True)
class CanvasNode:
    """`plan_id` is what the plan calls it, `title` what it is shown as there ("": as its id)."""

    index: int
    id: str
    plan_id: str
    type: CanvasType
    title: str
    inputs: tuple[Wanted, ...]
    outputs: tuple[Field, ...]
    data: Mapping | None
    at: Mapping

    def value(self, key: str) -> Value | None:
        """What stands under a key of `data`; None for null too, which an editor writes for "nothing"."""
        found = self.data.entries.get(key) if self.data is not None else None
        return None if found is None or getattr(found, "value", found) is None else found

    def place(self) -> Place:
        """The node, shown at its id."""
        return Place(self.at.entries["id"].span, self.at.pointer())


@dataclass(frozen=True, slots=True)
class CanvasEdge:
    """`source` and `target` are indexes of nodes; `handle` is a condition's port in the plan, else ""."""

    plan_id: str
    source: int
    target: int
    handle: str
    at: Value


@dataclass(frozen=True, slots=True)
class Canvas:
    """`whole`: every node and edge could be read, so that nothing can be missing for want of it."""

    name: str  # "": none that a plan could have
    title: str
    nodes: tuple[CanvasNode, ...]
    edges: tuple[CanvasEdge, ...]
    at: Value
    whole: bool = True
    by_id: dict[str, CanvasNode] = field(default_factory=dict, repr=False)


Json = dict[str, Any]
