"""A Plan as `parse` leaves it: every part read, nothing resolved (LANGUAGE §2, §4, §7, §8).

What could not be read has been reported and stands here as *unknown*, so that no later pass reports it again:

- a Schema, or a part of one, is `UNKNOWN` (test with `is_unknown`); a field with a bad name stands under that name;
- a map of fields, a list or a value that could not be read at all is named in the `broken` of its owner;
- an expression has `ast is None`; a ValueExpr without a readable form is `form "expr"` with `ast is None`;
- a default that stands but could not be read: `default_at` is given, `default` is MISSING;
- an id, a node id or a port that could not be read is "" and may be any; a config field is not in `config`.

Places: `at` is the value in the document; `Node.place(field)` finds a config field's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from loopstep.nodes.node_type import UNKNOWN as UNKNOWN
from loopstep.nodes.node_type import NodeType
from loopstep.source.document import Mapping as SourceMapping
from loopstep.source.document import Scalar, Value
from loopstep.source.document import Sequence as SourceSequence
from loopstep.types.schema import MISSING, Schema
from loopstep.types.schema import Fields as Fields

NOTHING: frozenset[str] = frozenset()


def is_unknown(schema: Schema) -> bool:
    """Whether the schema stands for one that could not be read: it fits everything."""
    return schema.type == UNKNOWN.type


class Convert(NamedTuple):
    """LANGUAGE §4 `convert`. `to` is "" where it could not be read; `judged`: a fault in it has been reported."""

    to: str
    mode: str | None
    source_kind: str | None  # `from`; None: by the output field the ref names, else "value"
    top_k: int | None
    at: Value
    judged: bool = False
    or_absent: bool = False  # what converts to no value is absent, not a fault


class ValueExpr(NamedTuple):
    """LANGUAGE §4. `literal` belongs to form "value"; `ast`, `text`, `text_at` to "ref" and "expr"."""

    at: Value
    form: str  # "value" | "ref" | "expr"
    literal: Any = None
    ast: Any = None
    text: str = ""
    text_at: Scalar | None = None
    convert: Convert | None = None
    default: Any = MISSING
    default_at: Value | None = None


class Expr(NamedTuple):
    """A `when` or `while`."""

    text: str
    ast: Any
    at: Value


class Template(NamedTuple):
    """A text with `{{ }}`; `parts` as `expressions.template.parse_template` gives them, None where that failed."""

    text: str
    parts: Any
    at: Value


class Assignment(NamedTuple):
    """One of `assignments`. `path`: the state path's names, as written between the points; None where unreadable."""

    path: tuple[str, ...] | None
    path_at: Value
    value: ValueExpr
    at: Value


class Retry(NamedTuple):
    """LANGUAGE §7 `retry`: all tries counted; whole seconds."""

    max_attempts: int = 1
    backoff: int = 1
    factor: float = 2
    max_backoff: int | None = None


class Node(NamedTuple):
    """One step of the graph.

    `config` has the parsed value of each config field by its document name, defaults filled in: a ValueExpr, Template
    or Expr, tuples of Assignment, Template or str, a dict of ValueExpr (merge), or plain data (durations in whole
    seconds). `valid` is False where the config could not be read at all; `broken` names the parts among `type`,
    `input`, `output`, `preconditions`, `retry`, `timeout` and the config's fields that stand there unreadable.
    """

    id: str
    type: NodeType | None
    title: str
    input: Fields | None  # None: left out (or broken)
    output: Fields | None
    preconditions: tuple[str, ...]
    config: Mapping[str, Any]
    retry: Retry | None
    timeout: int | None  # seconds per attempt
    at: Value
    valid: bool = True
    broken: frozenset[str] = NOTHING

    def stands(self, name: str) -> bool:
        """Whether the document has the config field, readable or not, or one whose name was probably meant to be it."""
        config = self.at.entries.get(self.type.config_key) if self.type and isinstance(self.at, SourceMapping) else None
        return name in self.broken or (isinstance(config, SourceMapping) and name in config.entries)

    def place(self, *path: str | int) -> Value:
        """The value at a path below the config's own mapping; the nearest one above it where there is none."""
        assert self.type is not None, "a node of unknown type has no config"
        return below(self.at, (self.type.config_key, *path))


class Endpoint(NamedTuple):
    """`source` or `target` of an edge; `node_at` and `port_at` are the values where they could be read, else `at`."""

    node: str
    port: str
    at: Value
    node_at: Value
    port_at: Value


class Edge(NamedTuple):
    """`bindings` is None where left out: a pass-through. `valid` is False where the bindings could not be read."""

    id: str
    source: Endpoint
    target: Endpoint
    when: Expr | None
    bindings: dict[str, ValueExpr] | None
    at: Value
    valid: bool = True


class Entry(NamedTuple):
    """`graph.entry`; `bindings` and `valid` as an edge's."""

    target: Endpoint
    bindings: dict[str, ValueExpr] | None
    at: Value
    valid: bool = True

    @property
    def node(self) -> str:
        return self.target.node

    @property
    def port(self) -> str:
        return self.target.port


class Plan(NamedTuple):
    """The whole document. `broken` names the parts among `input output state entry nodes edges` that are unreadable."""

    name: str
    title: str
    description: str
    timeout: int  # seconds
    input: Fields
    output: Fields
    state: Fields
    entry: Entry | None
    nodes: list[Node]
    edges: list[Edge]
    at: Value
    broken: frozenset[str] = NOTHING


def below(value: Value, path: tuple[str | int, ...]) -> Value:
    """The value at `path` below `value`; the nearest one above it where the document has none."""
    for step in path:
        if isinstance(value, SourceMapping) and isinstance(step, str) and step in value.entries:
            value = value.entries[step]
        elif isinstance(value, SourceSequence) and isinstance(step, int) and step < len(value.items):
            value = value.items[step]
        else:
            break
    return value
