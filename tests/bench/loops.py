"""(i) What a round of a loop takes, beside a hand-written loop of the same work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import Any

from tests.bench.cloud import Cloud
from tests.bench.engine_rounds import Start, durations
from tests.bench.figures import Measurement, Target, of_rounds, paired, slopes
from tests.bench.handwritten_machine import Definition, deployed
from tests.bench.handwritten_regions import HANDLER, loop
from tests.bench.region_plans import loop_plan

SIZES = (1, 100)
RATIO = Target("<=", 1.3)
TITLE = "ms per round of a loop on the local cloud beside hand-written ones, net of the fixed start time"
WHO = ("loopstep", "hand-written", "uncounted")


def measure(cloud: Cloud, rounds: int = 7, sizes: Sequence[int] = SIZES) -> Measurement:
    """A loop whose body writes the state, in two sizes; what a round takes is the slope between them."""
    made: dict[Any, Definition] = {}
    for size in sizes:
        cloud.publish(f"bench_loop_{size}", loop_plan(size))
        made[f"hand-written {size}"] = lambda function, bucket, size=size: loop(function, size)  # type: ignore[misc]
        made[f"uncounted {size}"] = lambda function, bucket, size=size: loop(function, size, False)  # type: ignore[misc]
    with deployed(cloud, HANDLER, made) as handwritten:
        starts: dict[tuple[str, int], Start] = {}
        for size in sizes:
            starts["loopstep", size] = partial(cloud.start, f"bench_loop_{size}", {})
            for who in WHO[1:]:
                starts[who, size] = partial(handwritten.start, f"{who} {size}")
        spent = durations(cloud, starts, rounds)
    low, high = sizes[0], sizes[-1]
    own, other, bare = (slopes({size: spent[who, size] for size in sizes}, low, high) for who in WHO)
    figures = (
        paired(f"time of a round, {low} to {high} / hand-written", own, other, RATIO),
        of_rounds(f"time of a round, {low} to {high}", own, "ms"),
        of_rounds(
            f"time of a round, {low} to {high}, hand-written: a Task that counts, a Choice, the body", other, "ms"
        ),
        paired("time of a round / hand-written whose body counts: one Task a round", own, bare),
    )
    medians = {f"{who} {size}, ms": median(each) for (who, size), each in spent.items()}
    return Measurement("loops", TITLE, figures, medians, rounds)
