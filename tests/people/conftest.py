"""The `people` fixture: a run in moto whose Tasks wait under tokens (`people_world.py`, over `runtime_world.py`)."""

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


for _name in ("runtime_world", "runtime_engine", "people_world"):
    _load(_name)


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A run that has begun, in a region-less plan: `people_world.People`."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with _load("runtime_world").empty() as world:
        world.start(fences=True)
        yield _load("people_world").People(world)
