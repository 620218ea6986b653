"""A node's spec: the JSON text that the compiler wrote into the definition, with its trees compiled once.

A warm function sees the same text again and again; parsed specs are kept by it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.expressions.tree import read_within
from loopstep.types.schema import Schema
from loopstep.types.text import exchange_quotes

_KEPT = 256

Prepare = Callable[[dict[str, Any]], Any]


class Reads(NamedTuple):
    """What of a run's data some trees read, so that only this is fetched: top-level fields, and whole roots."""

    state: frozenset[str]
    run_input: bool
    input: bool
    output: bool
    item: bool = False

    def union(self, other: Reads) -> Reads:
        """What either reads."""
        return Reads(
            self.state | other.state,
            self.run_input or other.run_input,
            self.input or other.input,
            self.output or other.output,
            self.item or other.item,
        )


NOTHING = Reads(frozenset(), False, False, False)


class Exit(NamedTuple):
    """One edge out of a port; the last without a condition is the default."""

    edge: str
    condition: Closure | None


class Arrival(NamedTuple):
    """The bindings of one arriving edge, by target field."""

    bindings: dict[str, Closure]
    reads: Reads


class Region(NamedTuple):
    """A region around a node: its join, how many numbers the join's path has, the branch (None: items), the mode."""

    join: str
    depth: int
    branch: str | None
    mode: str


class Brings(NamedTuple):
    """What an edge into a join brings: bindings and contract of the join's input."""

    bindings: dict[str, Closure]
    fields: dict[str, Schema]


_NO_BRINGS: Mapping[str, Brings] = {}
_NO_READ: Mapping[str, tuple[Closure, ...]] = {}


class Spec(NamedTuple):
    """`config` is what the behaviour made of its own keys.

    `attempts` may act; `timeout` is in seconds per attempt, 0 for none, `wait` in seconds for an answer. `route` is the
    port of a failure that is only asked where it leads. `fenced`: it stands in a fan_out's region.
    `own_reads` is what config, exit conditions and arrivals at a join read. `enter` is the edge of a token that enters
    a region, `regions` are those around the node, outermost first, `brings` is by edge into a join. `read` is what the
    larger operands of a port read, for people; under "" what a loop's `while` does.
    """

    node: str
    fields: dict[str, Schema]
    preconditions: tuple[str, ...]
    arrivals: dict[str, Arrival]
    next_edges: frozenset[str]
    exits: dict[str, tuple[Exit, ...]]
    operands: dict[str, tuple[Closure, ...]]
    own_reads: Reads
    attempts: int
    timeout: int
    fenced: bool
    route: str
    config: Any
    enter: str = ""
    regions: tuple[Region, ...] = ()
    brings: Mapping[str, Brings] = _NO_BRINGS
    wait: int = 0
    read: Mapping[str, tuple[Closure, ...]] = _NO_READ


class Specs:
    """Reads specs for one behaviour and keeps them.

    `prepare` makes the config of the parsed JSON, `state_read` names state fields that are read without a tree.
    """

    def __init__(self, prepare: Prepare, state_read: Callable[[dict[str, Any]], frozenset[str]]) -> None:
        self.read = lru_cache(_KEPT)(lambda text: parse(text, prepare, state_read))


def read_json(text: str) -> dict[str, Any]:
    """The JSON data of a spec, whose quotes are exchanged in a definition."""
    data: dict[str, Any] = json.loads(exchange_quotes(text) if text.startswith("{'") else text)
    return data


def parse(text: str, prepare: Prepare, state_read: Callable[[dict[str, Any]], frozenset[str]]) -> Spec:
    """Parse a spec. What is left out is empty."""
    data = read_json(text)
    common = {"in", "input", "pre", "next", "id", "max", "timeout", "wait", "fence", "route", "output"}
    common |= {"regions", "enter", "pins"}
    own = [value for key, value in data.items() if key not in common]
    conditions = {port: read_within(trees) for port, trees in data.get("seen", {}).items()}
    conditions[""] = read_within([data.get("loop", {}).get("while")])
    return Spec(
        node=data["id"],
        fields={name: Schema.from_json(schema) for name, schema in data.get("input", {}).items()},
        preconditions=tuple(data.get("pre", ())),
        arrivals={edge: _arrival(bindings) for edge, bindings in data.get("in", {}).items()},
        next_edges=frozenset(data.get("next", ())),
        exits={port: tuple(_exit(*each) for each in exits) for port, exits in data.get("out", {}).items()},
        operands={port: tuple(map(compile_tree, trees)) for port, trees in data.get("seen", {}).items()},
        own_reads=reads_of(own).union(NOTHING._replace(state=state_read(data))),
        attempts=data.get("max", 1),
        timeout=data.get("timeout", 0),
        fenced=data.get("fence", False),
        route=data.get("route", ""),
        config=prepare(data),
        enter=data.get("enter", ""),
        regions=tuple(Region(*each) for each in data.get("regions", ())),
        brings={edge: _brings(each) for edge, each in data.get("to", {}).items()},
        wait=data.get("wait", 0),
        read={port: found for port, trees in conditions.items() if (found := tuple(map(compile_tree, trees)))},
    )


def _brings(data: dict[str, Any]) -> Brings:
    fields = {name: Schema.from_json(schema) for name, schema in data.get("input", {}).items()}
    return Brings({field: compile_tree(tree) for field, tree in data.get("in", {}).items()}, fields)


def _arrival(bindings: dict[str, Any]) -> Arrival:
    compiled = {field: compile_tree(tree) for field, tree in bindings.items()}
    return Arrival(compiled, reads_of(bindings.values()))


def _exit(edge: str, residual: Any = None) -> Exit:
    return Exit(edge, None if residual is None else compile_tree(residual))


def reads_of(trees: Iterable[Any]) -> Reads:
    """Return what these trees read; anything around them (lists, maps, template parts) may hold them."""
    references = [reference for tree in trees for reference in _references(tree)]
    return Reads(
        frozenset(each[2] for each in references if each[1] == "state" and len(each) > 2),
        any(each[1:3] == ["plan", "input"] for each in references),
        any(each[1] == "input" for each in references),
        any(each[1] == "output" for each in references),
        any(each[1] == "item" for each in references),
    )


def _references(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, dict):
        for part in tree.values():
            yield from _references(part)
    elif isinstance(tree, list) and tree:
        if tree[0] == "ref" and len(tree) > 1 and isinstance(tree[1], str):
            yield tree  # a literal or a path that looks like one merely reads too much
        else:
            for part in tree:
                yield from _references(part)
