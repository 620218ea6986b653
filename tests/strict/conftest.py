"""One strict emulator for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.strict import emulator


@pytest.fixture(scope="session")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[emulator.Emulator]:
    """A running strict emulator with the function `work`."""
    if not emulator.PYTHON.exists():
        pytest.skip("the emulator's environment is not there (`loopstep up` makes it)")
    with emulator.strict(tmp_path_factory.mktemp("strict")) as running:
        running.function("work")
        yield running
