"""The `world` fixture: a stack in moto with sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.knowledge.worlds import World


@pytest.fixture
def world(aws: Any) -> Iterator[World]:
    yield World(aws)
