"""`join`: ends the region of a fan_out and merges what arrived (LANGUAGE §7, §8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import ARRIVALS, CHOICE, INTEGER, MERGE, TEXT, Field
from loopstep.nodes.node_type import INVALID_VALUE, MAY_DECLARE, MISSING_FIELD, NodeType, Problem, exits, fields_json
from loopstep.nodes.node_type import JOIN as ROLE

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView
    from loopstep.types.schema import Fields

ALL, ANY, COUNT = "all", "any", "count"


def outputs(node: NodeView) -> dict[str, Fields] | None:
    """What the merge builds; a join may have none."""
    return None if "output" in node.broken else {"completed": node.output or {}}


def problems(node: NodeView) -> Iterator[Problem]:
    """A number exactly with mode count."""
    mode = node.config.get("mode")
    if mode == COUNT and not node.stands("count"):
        yield Problem(MISSING_FIELD, ("join",), "mode `count` needs `count`: how many arrivals to wait for")
    elif mode in (ALL, ANY) and node.stands("count"):
        message = f"`count` belongs to mode count, this join's mode is {mode}"
        yield Problem(INVALID_VALUE, ("join", "count"), message, "set `mode: count`")


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """Which arrivals to wait for and how to merge them."""
    join: dict[str, Any] = {"fanOut": node.config["fanOut"], "mode": node.config["mode"]}
    if "count" in node.config:
        join["count"] = node.config["count"]
    join["merge"] = {name: lower.value(value) for name, value in node.config["merge"].items()}
    return {"join": join, "output": fields_json(node.output or {})}


JOIN = NodeType(
    name="join",
    config_key="join",
    summary="Waits for the parts of a fan_out and merges what they brought.",
    ports="completed, failed",
    exposes="the declared output, built by `merge`",
    fields=(
        Field("fanOut", TEXT, "Id of the fan_out.", required=True),
        Field("mode", CHOICE, "All arrivals, the first, or the first `count`.", choices=(ALL, ANY, COUNT), default=ALL),
        Field(
            "count",
            INTEGER,
            "How many, with mode count.",
            low=1,
            high=100_000,
            only_with=("mode", COUNT),
            needed_with=True,
        ),
        Field("merge", MERGE, "The output's fields, from what arrived.", default={}, reads=ARRIVALS),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    role=ROLE,
    declares_output=MAY_DECLARE,
    outputs=outputs,
    problems=problems,
    passes_input=False,
    notes=(
        "**Modes.** `all` waits for every part; the first failure that no edge handles stops the others, and the "
        "join fails with that failure's code and message. `any` takes the first arrival and `count` the first "
        "`count`; the other parts are stopped (approvals and answers that they wait for end with "
        "[`join.decided`](../errors/join.decided.md)), a part that fails is only lost, and the join fails with "
        "[`join.no_winner`](../errors/join.no_winner.md) once too few can still arrive.",
        "**What `merge` reads.** An edge into the join binds the join's `input`: that is what one arrival brings. "
        "[The language](../language.md#what-a-join-merges) says what is there in which mode.",
        "**Refused** when the plan is compiled: a `count` above the number of branches, above the fan_out's "
        "`maxItems`, or above what its items can be.",
    ),
)
