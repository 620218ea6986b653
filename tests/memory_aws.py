"""A world over the tables and the bucket in memory that `loopstep test` has; moto copies a whole table for every
transaction, which whole runs with regions cannot afford. That both answer alike is a test of its own.
"""

from __future__ import annotations

from typing import Any

from runtime_world import World

from loopstep.testing.conditions import condition
from loopstep.testing.tables import MemoryBucket, MemoryTable

__all__ = ["MemoryBucket", "MemoryTable", "MemoryWorld", "condition"]


class MemoryWorld(World):
    """A `World` over these two."""

    def __init__(self) -> None:
        self.dynamodb: Any = MemoryTable()
        self.s3: Any = MemoryBucket()
        self.slept: list[float] = []
        self._seed = 0
        self._reset()

    def clear(self) -> None:
        self.dynamodb.clear()
        self.s3.objects.clear()
        self._reset()
