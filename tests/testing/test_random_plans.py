"""Seeded random plans come out in one process as the reference interpreter says."""

from __future__ import annotations

import json

import pytest

from tests.conformance.test_random_plans import drawn
from tests.testing.conftest import Folder, messages


@pytest.mark.parametrize("seed", range(60))
def test_a_run_is_what_the_document_says(folder: Folder, seed: int) -> None:
    plan, case = drawn(seed)
    expected = {name: value for name, value in case.items() if value is not None}
    result = folder.played(json.dumps(plan), json.dumps({"runs": [expected]}))
    assert result.ok and len(result.cases) == 1, messages(result)
