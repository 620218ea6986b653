"""SECURITY.md names the tests that show what it promises; each of them is there."""

from __future__ import annotations

import re

from tests.house.modules import ROOT


def test_every_promise_names_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| promise", "| ---"))]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[\w/.]+)`", row.split(" | ")[-1])
        assert named, row
        assert [name for name in named if not (ROOT / name).is_file()] == []
