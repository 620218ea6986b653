"""Cases against the deployed local cloud; where it is, `tests/stack/conftest.py` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stack.conftest import api, state

__all__ = ["api", "state"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.stack)
