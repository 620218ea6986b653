"""`fan_out`: one part per item or per branch, up to the join that names it (LANGUAGE §7, §8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.alternatives import one_of
from loopstep.nodes.field import INTEGER, NAMES, VALUE, Field
from loopstep.nodes.node_type import FAN_OUT as ROLE
from loopstep.nodes.node_type import INVALID_VALUE, Exits, NodeType, Problem
from loopstep.types.schema import Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView

KEY = "fanOut"
MAX_INLINE_ITEMS = 500  # above: a Distributed Map
MAX_ITEMS = 100_000
MAX_INLINE_CONCURRENCY = 40  # AWS: what an inline Map runs at once
MAX_CONCURRENCY = 1_000


def parts(node: NodeView) -> tuple[str, ...]:
    """The ports into the region: `item`, or the branch names."""
    if "branches" in node.config:
        names: tuple[str, ...] = node.config["branches"]
        return names if not node.stands("items") else (*names, "item")
    return ("item",) if node.stands("items") else ()


def exits(node: NodeView) -> Exits:
    """The parts and `failed`; whatever an edge says where the config is not clear."""
    names = (*parts(node), "failed")
    if "branches" in node.broken or node.stands("items") == node.stands("branches"):
        return Exits(names, exempt=names, open=True)
    return Exits(names)


def problems(node: NodeView) -> Iterator[Problem]:
    """Items or branches; the limits belong to items, and the higher concurrency to many of them."""
    yield from one_of(node, KEY, "items", "branches")
    if not node.stands("items"):
        for name in ("maxConcurrency", "maxItems"):
            if node.stands("branches") and node.stands(name):
                yield Problem(INVALID_VALUE, (KEY, name), f"`{name}` belongs to `items`, not to `branches`")
        return
    most, items = node.config.get("maxConcurrency"), node.config.get("maxItems")
    if most is not None and items is not None and items <= MAX_INLINE_ITEMS and most > MAX_INLINE_CONCURRENCY:
        message = f"`maxConcurrency` is 1 to {MAX_INLINE_CONCURRENCY} for up to {MAX_INLINE_ITEMS} items, not {most}"
        hint = f"`maxItems` above {MAX_INLINE_ITEMS} allows up to {MAX_CONCURRENCY:,}"
        yield Problem(INVALID_VALUE, (KEY, "maxConcurrency"), message, hint)


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """What the parts are made from."""
    if "branches" in node.config:
        return {"branches": list(node.config["branches"])}
    return {"items": lower.value(node.config["items"]), "maxItems": node.config["maxItems"]}


FAN_OUT = NodeType(
    name="fan_out",
    config_key=KEY,
    summary="Starts one part per item of an array, or one per named branch, at the same time.",
    ports="item, or one per branch name; failed",
    exposes="–",
    fields=(
        Field("items", VALUE, "The array (or `branches`).", schema=Schema("array", required=True)),
        Field(
            "maxConcurrency",
            INTEGER,
            "Parts at once: 1 to 40, above 500 `maxItems` to 1,000.",
            default=10,
            low=1,
            high=MAX_CONCURRENCY,
        ),
        Field("maxItems", INTEGER, "More items than this fail the node.", default=500, low=1, high=MAX_ITEMS),
        Field("branches", NAMES, "The branches' names (or `items`)."),
    ),
    exits=exits,
    spec=spec,
    role=ROLE,
    problems=problems,
    parts=parts,
    alternatives=("items", "branches"),
    notes=(
        "**`item`** is read on the edges that leave the port `item`, in their `bindings` and `when`, and nowhere "
        "else: bind it to the input of the part's first node. Later nodes get it from there, on the edges between "
        "them.",
        "**The join.** Exactly one [`join`](join.md) names the fan_out and ends its parts. Nothing else leads out "
        "of a part but a failed `end`, which fails that part.",
        "**At once.** Items count as running at the same time whatever `maxConcurrency` is, `1` too: they do not "
        "share [state](../language.md#what-runs-at-the-same-time) that one of them writes.",
    ),
)
