"""The strict emulator and moto's interpreter end the same machines in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.strict.emulator import Emulator
from tests.strict.moto_engine import engine
from tests.strict.parity_cases import CASES

Run = Callable[[Any, Any], list[Any]]


@pytest.fixture(scope="module")
def moto() -> Iterator[Run]:
    """moto's interpreter."""
    with engine() as run:
        yield run


@pytest.fixture(scope="module")
def quick(strict: Emulator) -> Iterator[Emulator]:
    """The strict emulator, waits and delays in next to no time."""
    with strict.scaled(0.001):
        yield strict


@pytest.mark.parametrize("name", CASES)
def test_both_engines_agree(quick: Emulator, moto: Run, name: str) -> None:
    case = CASES[name]
    found = quick.run(case.definition, case.data)
    strictly = [found.status, found.error if found.status == "FAILED" else None, found.output]
    if case.moto:
        assert moto(case.definition, case.data) != strictly, "the difference is gone: " + case.moto
    else:
        assert moto(case.definition, case.data) == strictly
