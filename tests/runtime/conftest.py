"""The `world` fixture: a stack in moto with node functions (`runtime_world.py`, and `runtime_engine.py` over it)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(name: str) -> ModuleType:
    if name not in sys.modules:
        place = Path(__file__).parents[1] / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, place)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


_load("runtime_world")
_load("runtime_engine")
_load("memory_aws")
_load("reference")
_load("random_plans")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty stack: `runtime_world.World`."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with _load("runtime_world").empty() as stack:
        yield stack


@pytest.fixture
def memory() -> Any:
    """An empty stack in memory: `memory_aws.MemoryWorld`, for whole runs by the hundred."""
    return _load("memory_aws").MemoryWorld()
