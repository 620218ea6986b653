"""(c) Milliseconds a node of a chain takes on the local cloud, beside a hand-written machine of the same work."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tests.bench.cloud import Cloud
from tests.bench.engine_rounds import Start, durations
from tests.bench.figures import Measurement, Target, of_rounds, paired, slopes
from tests.bench.handwritten_machine import HANDLER, chain, deployed
from tests.bench.linear_plans import linear_plan

SIZES = (1, 10, 50)
RATIO = Target("<=", 1.3)
INPUT = {"amount": 1, "label": "vip 1"}
TITLE = "ms per node of chains on the local cloud beside a hand-written machine, both net of the fixed start time"


def measure(cloud: Cloud, rounds: int = 11, sizes: Sequence[int] = SIZES) -> Measurement:
    """Run both machines in every size, interleaved; what a node takes is the slope between two sizes of one round."""
    for size in sizes:
        cloud.publish(_plan(size), linear_plan(size + 1, _plan(size), whens=False))
    machines = {size: lambda function, bucket, size=size: chain(function, size) for size in sizes}
    with deployed(cloud, HANDLER, machines) as handwritten:
        starts: dict[tuple[str, int], Start] = {}
        for size in sizes:
            starts["loopstep", size] = lambda size=size: cloud.start(_plan(size), INPUT)  # type: ignore[misc]
            starts["hand-written", size] = lambda size=size: handwritten.start(size)  # type: ignore[misc]
        spent = durations(cloud, starts, rounds)
    ours = {size: spent["loopstep", size] for size in sizes}
    theirs = {size: spent["hand-written", size] for size in sizes}
    low, figures = sizes[0], []
    for high in sizes[1:]:
        own, other = slopes(ours, low, high), slopes(theirs, low, high)
        target = RATIO if high == sizes[-1] else None
        figures.append(paired(f"time of a node, {low} to {high} / hand-written", own, other, target))
        figures.append(of_rounds(f"time of a node, {low} to {high}", own, "ms"))
        figures.append(of_rounds(f"time of a node, {low} to {high}, hand-written", other, "ms"))
    medians = {f"{who} {size}, ms": median(each) for (who, size), each in spent.items()}
    return Measurement("chains", TITLE, tuple(figures), medians, rounds)


def _plan(size: int) -> str:
    return f"bench_chain_{size}"
