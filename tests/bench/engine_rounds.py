"""Executions timed by the engine's own clock, in rounds of shuffled order."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from tests.bench.cloud import RUN_TIMEOUT, Cloud

Start = Callable[[], str]  # starts an execution; its ARN
K = TypeVar("K", bound=Hashable)


def durations(
    cloud: Cloud, starts: Mapping[K, Start], rounds: int, patience: float = RUN_TIMEOUT
) -> dict[K, list[float]]:
    """Milliseconds of each once a round, in an order shuffled anew; one round before, not counted, warms the workers.

    `patience`: seconds that one execution may take.
    """
    spent: dict[K, list[float]] = {key: [] for key in starts}
    order, shuffled = list(starts), random.Random(1)
    for key in order:
        cloud.duration(starts[key](), patience)
    for _ in range(rounds):
        shuffled.shuffle(order)
        for key in order:
            spent[key].append(cloud.duration(starts[key](), patience))
    return spent
