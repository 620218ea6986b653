"""How many parts a fan_out may have, against its `maxItems` and what its join waits for (LANGUAGE §8).

Only what no run could satisfy is a fault: numbers that the plan itself writes down.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from loopstep.compiler.model import Node, ValueExpr, below
from loopstep.compiler.regions import ITEM, Regions
from loopstep.compiler.resolve import Graph
from loopstep.diagnostics.collector import Reporter
from loopstep.expressions.ast import ListOf
from loopstep.nodes.join import ANY, COUNT
from loopstep.nodes.node_type import INVALID_VALUE
from loopstep.source.document import Sequence, Value
from loopstep.types.schema import Schema

ITEMS, MAX_ITEMS = "items", "maxItems"


class _Size(NamedTuple):
    """How many items there can be; `most` without a bound is infinite. `what` has them, as a reader knows it."""

    least: int
    most: float
    what: str
    at: Value

    @property
    def at_least(self) -> str:
        return f"{self.what} has {'' if self.least == self.most else 'at least '}{_so_many(self.least)}"

    @property
    def at_most(self) -> str:
        return f"{self.what} has {'only' if self.least == self.most else 'at most'} {_so_many(int(self.most))}"


def check_counts(graph: Graph, regions: Regions, items: Mapping[str, Schema | None], reporter: Reporter) -> None:
    """document.invalid_value for more items than `maxItems`, and for a join that waits for more than can arrive.

    `items`: the schema of what each fan_out's `items` names, None where unknown.
    """
    for one, other in regions.joins.items():
        fan_out, join = graph.nodes[one], graph.nodes[other]
        if fan_out.type is None or not graph.doubled.isdisjoint((one, other)) or fan_out.type.exits(fan_out).open:
            continue
        if fan_out.type.parts(fan_out) == (ITEM,):
            _check_items(fan_out, join, items.get(one), reporter)
        else:
            _check_branches(fan_out, join, reporter)


def _check_branches(fan_out: Node, join: Node, reporter: Reporter) -> None:
    written, needed = fan_out.place("branches"), _needed(join)
    branches = len(written.items) if isinstance(written, Sequence) else 0
    if 0 < branches < needed:
        found = _so_many(branches, "branch", "branches")
        reporter.error(
            INVALID_VALUE, f"`count` is {needed:,}, but `{fan_out.id}` has only {found}", join.place("count")
        )


def _check_items(fan_out: Node, join: Node, schema: Schema | None, reporter: Reporter) -> None:
    value: ValueExpr | None = fan_out.config.get(ITEMS)
    allowed: float = fan_out.config.get(MAX_ITEMS, inf)
    size = None if value is None else _size(fan_out, value, schema)
    if size is not None and size.least > allowed:
        message = f"{size.at_least}, and `{MAX_ITEMS}` allows {allowed:,}"
        reporter.error(INVALID_VALUE, message, size.at, _more(size.least))
        allowed = inf  # the join is judged by the items themselves
    stands = value.default if value is not None and isinstance(value.default, list) else []
    if value is not None and value.default_at is not None and len(stands) > allowed:
        message = f"the default has {_so_many(len(stands))}, and `{MAX_ITEMS}` allows {allowed:,}"
        reporter.error(INVALID_VALUE, message, value.default_at, _more(len(stands)))
    _check_needed(fan_out, join, size, allowed, reporter)


def _check_needed(fan_out: Node, join: Node, size: _Size | None, allowed: float, reporter: Reporter) -> None:
    needed, most = _needed(join), inf if size is None else size.most
    if needed <= min(most, allowed):
        return
    hint = "wait for fewer arrivals"
    if size is not None and most <= allowed:
        why = size.at_most
    else:
        why, hint = f"`{fan_out.id}` takes at most {_so_many(int(allowed))}", f"raise `{MAX_ITEMS}`, or {hint}"
    if join.config.get("mode") == COUNT:
        reporter.error(INVALID_VALUE, f"`count` is {needed:,}, but {why}", join.place("count"), hint)
    elif size is not None:
        reporter.error(INVALID_VALUE, f"{why}, and `{join.id}` waits for the first that arrives", size.at)


def _needed(join: Node) -> int:
    """How many have to arrive for sure; 0 where that depends on the items, or could not be read."""
    mode = join.config.get("mode")
    if mode == ANY:
        return 1
    count: int = join.config.get("count", 0) if mode == COUNT else 0
    return count


def _size(fan_out: Node, value: ValueExpr, schema: Schema | None) -> _Size | None:
    """Of what is written down, or of what the source's contract bounds; a `default` may stand for the source."""
    if value.form == "value":
        listed, at = value.literal, below(value.at, ("value",))
        return _Size(len(listed), len(listed), f"`{fan_out.id}`", at) if isinstance(listed, list) else None
    if value.convert is not None or value.text_at is None:
        return None
    if isinstance(value.ast, ListOf):
        count = len(value.ast.items)
        return _Size(count, count, f"`{fan_out.id}`", value.text_at)
    if schema is None or schema.type != "array":
        return None
    least, most = schema.min_items or 0, inf if schema.max_items is None else schema.max_items
    if value.default_at is None:
        return _Size(least, most, f"`{value.text}`", value.text_at)
    if not isinstance(value.default, list):
        return None
    stands = len(value.default)
    return _Size(min(least, stands), max(most, stands), f"`{value.text}` with its default", value.text_at)


def _so_many(count: int, one: str = "item", more: str = "items") -> str:
    return f"{count:,} {one if count == 1 else more}"


def _more(count: int) -> str:
    return f"raise `{MAX_ITEMS}` to {count:,}, or take fewer items"
