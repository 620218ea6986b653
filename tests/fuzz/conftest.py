"""The API that fuzz targets ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz import asking


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[asking.Asked]:
    for name, value in asking.CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    for name in asking.NOT_THESE:
        monkeypatch.delenv(name, raising=False)
    made = asking.Asked()
    yield made
    made.close()
