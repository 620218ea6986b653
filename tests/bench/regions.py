"""(h) What an item of a fan_out and a join of branches take, beside hand-written Maps and Parallels doing the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any

from tests.bench.cloud import Cloud
from tests.bench.engine_rounds import Start, durations
from tests.bench.figures import Figure, Measurement, Target, of_rounds, paired, slopes
from tests.bench.handwritten_machine import Definition, Handwritten, deployed
from tests.bench.handwritten_regions import HANDLER, distributed_map, inline_map, parallels
from tests.bench.region_plans import items_plan, joins_plan

RATIO = Target("<=", 1.3)
SIDE_BY_SIDE = 10
INLINE, DISTRIBUTED, JOINS = (1, 10, 100), (10, 1000), (1, 5)
LARGE = 5000
PATIENCE = 900.0  # seconds that the largest may take
INLINE_PLAN, DISTRIBUTED_PLAN = "bench_items_inline", "bench_items_distributed"
TITLE = (
    "ms per item and per join of three on the local cloud, beside hand-written machines, net of the fixed start time"
)

Case = tuple[str, str, int]  # who, what, size


def measure(
    cloud: Cloud,
    rounds: int = 15,
    inline: Sequence[int] = INLINE,
    distributed: Sequence[int] = DISTRIBUTED,
    joins: Sequence[int] = JOINS,
    large: int = LARGE,
) -> Measurement:
    """Every size of both sides once a round; the thousand items of a Distributed Map in a third of the rounds.

    An item's time is the slope between the smallest size and another one of the same round, so with `maxConcurrency` 10
    it is what one item more adds to the whole, not what its function takes.
    """
    cloud.publish(INLINE_PLAN, items_plan(500, SIDE_BY_SIDE))
    cloud.publish(DISTRIBUTED_PLAN, items_plan(max(LARGE, large), SIDE_BY_SIDE))
    for count in joins:
        cloud.publish(_joins_plan(count), joins_plan(count))
    with deployed(cloud, HANDLER, _machines(joins)) as handwritten:
        starts = _starts(cloud, handwritten, inline, joins)
        spent = durations(cloud, starts, rounds)
        starts = _starts_of_items(cloud, handwritten, "distributed", distributed)
        spent |= durations(cloud, starts, max(1, rounds // 3), PATIENCE)
    seconds = cloud.duration(cloud.start(DISTRIBUTED_PLAN, _numbers(large)), PATIENCE) / 1000
    figures = [
        *_figures(spent, "inline", inline, "item", "ms of an item inline"),
        *_figures(spent, "distributed", distributed, "item", "ms of an item distributed"),
        *_figures(spent, "join", joins, "join", "ms of a join of three"),
        *_unopened(spent, joins),
        Figure(f"a fan_out of {large:,} items", seconds, "s"),
    ]
    medians = {f"{who} {what} {size}, ms": median(each) for (who, what, size), each in spent.items()}
    return Measurement("regions", TITLE, tuple(figures), medians, rounds)


def _machines(joins: Sequence[int]) -> dict[Any, Definition]:
    made: dict[Any, Definition] = {
        "inline": lambda function, bucket: inline_map(function, SIDE_BY_SIDE),
        "distributed": lambda function, bucket: distributed_map(function, bucket, SIDE_BY_SIDE),
    }
    for count in joins:
        made[f"join {count}"] = lambda function, bucket, count=count: parallels(function, count)  # type: ignore[misc]
        made[f"unopened {count}"] = lambda function, bucket, count=count: parallels(function, count, False)  # type: ignore[misc]
    return made


def _starts(cloud: Cloud, handwritten: Handwritten, inline: Sequence[int], joins: Sequence[int]) -> dict[Case, Start]:
    starts = _starts_of_items(cloud, handwritten, "inline", inline)
    for count in joins:
        starts["loopstep", "join", count] = partial(cloud.start, _joins_plan(count), {})
        starts["hand-written", "join", count] = partial(handwritten.start, f"join {count}")
        starts["hand-written", "unopened", count] = partial(handwritten.start, f"unopened {count}")
    return starts


def _starts_of_items(cloud: Cloud, handwritten: Handwritten, mode: str, sizes: Sequence[int]) -> dict[Case, Start]:
    plan = INLINE_PLAN if mode == "inline" else DISTRIBUTED_PLAN
    starts: dict[Case, Start] = {}
    for size in sizes:
        starts["loopstep", mode, size] = partial(cloud.start, plan, _numbers(size))
        starts["hand-written", mode, size] = partial(handwritten.start, mode, _numbers(size))
    return starts


def _figures(spent: dict[Case, list[float]], what: str, sizes: Sequence[int], unit: str, title: str) -> list[Figure]:
    """For each size but the smallest: the ratio, which has the target, and both sides."""
    ours, theirs = ({size: spent[who, what, size] for size in sizes} for who in ("loopstep", "hand-written"))
    low, figures = sizes[0], []
    for high in sizes[1:]:
        own, other = slopes(ours, low, high), slopes(theirs, low, high)
        figures.append(paired(f"{title}, {low} to {high} / hand-written", own, other, RATIO))
        figures.append(of_rounds(f"{title}, {low} to {high}", own, f"ms/{unit}"))
        figures.append(of_rounds(f"{title}, {low} to {high}, hand-written", other, f"ms/{unit}"))
    return figures


def _unopened(spent: dict[Case, list[float]], joins: Sequence[int]) -> list[Figure]:
    """Beside a Parallel that nobody keeps a record of before it starts: one Task less, and no target."""
    ours, bare = (
        {size: spent[who, what, size] for size in joins}
        for who, what in (("loopstep", "join"), ("hand-written", "unopened"))
    )
    name = "ms of a join of three / hand-written without a Task before the Parallel"
    return [paired(name, slopes(ours, joins[0], high), slopes(bare, joins[0], high)) for high in joins[1:]]


def _numbers(count: int) -> dict[str, Any]:
    return {"numbers": list(range(count))}


def _joins_plan(count: int) -> str:
    return f"bench_joins_{count}"
