"""`loopstep explain CODE` has an answer for every code there is, for people and as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.cli.code_page import KNOWN
from loopstep.diagnostics.codes import CODES
from loopstep.runtime.error_pages import ERROR_PAGES


def test_every_registry_of_codes_is_known() -> None:
    assert {*CODES, *ERROR_PAGES} <= set(KNOWN)


@pytest.mark.parametrize("code", KNOWN)
def test_a_code_is_explained(cli: Any, code: str) -> None:
    done = cli("explain", code)
    head, title, *rest = done.stdout.splitlines()
    assert done.exit_code == 0 and head.startswith(f"{code} (") and title.endswith(".") and any(rest)
    told = json.loads(cli("explain", code, "--json").stdout)
    assert told["code"] == code and told["title"] and told["why"].endswith(".")
    assert ("whatToDo" in told) is (told["severity"] not in ("error", "warning"))


def test_a_near_miss_is_named(cli: Any) -> None:
    done = cli("explain", "binding.requird_target")
    assert done.exit_code == 2 and "binding.required_target" in done.stderr
