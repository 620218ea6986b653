"""What the fuzz targets found once is no fault any more: each input again, as its target reads it.

An input's bytes stand in its file as a JSON text of that many characters.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fuzz import reading

FOUND = sorted(Path(__file__).with_name("found").glob("*/*.json"))


@pytest.mark.parametrize("file", FOUND, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_what_was_found_once(file: Path) -> None:
    reading.TARGETS[file.parent.name]()(json.loads(file.read_bytes()).encode("latin-1"))
