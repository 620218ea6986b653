"""Lambda: what a failed invocation is called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.strict.emulator import Emulator


def error(strict: Emulator, name: str, event: dict[str, Any]) -> dict[str, Any]:
    answer = strict.client("lambda").invoke(FunctionName=name, Payload=json.dumps(event))
    assert answer["FunctionError"] == "Unhandled"
    found = json.loads(answer["Payload"].read())
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", ["Flaky", "Loopstep.Decided"])
def test_an_exception_has_its_class_name(strict: Emulator, name: str) -> None:
    found = error(strict, "work", {"do": "fail", "error": name, "message": '{"errorType": "Other"}'})
    assert (found["errorType"], found["errorMessage"]) == (name, '{"errorType": "Other"}')
    assert found["stackTrace"]


@pytest.mark.parametrize("how", ["exit", "kill"])
def test_a_process_that_ends(strict: Emulator, how: str) -> None:
    assert error(strict, "work", {"do": "leave", "how": how})["errorType"] == "Runtime.ExitError"


def test_a_reply_that_is_no_json(strict: Emulator) -> None:
    assert error(strict, "work", {"do": "odd"})["errorType"] == "Runtime.MarshalError"


def test_a_function_that_is_too_slow(strict: Emulator) -> None:
    strict.function("short", Timeout=1)
    assert error(strict, "short", {"do": "slow", "seconds": 5})["errorType"] == "Sandbox.Timedout"


@pytest.mark.parametrize(
    ("name", "source", "kind"),
    [
        ("no-import", "import not_there", "Runtime.ImportModuleError"),
        ("no-syntax", "def handler(:", "Runtime.UserCodeSyntaxError"),
        ("no-handler", "x = 1", "Runtime.HandlerNotFound"),
        ("no-start", "raise ValueError('no')", "ValueError"),
    ],
)
def test_a_function_that_cannot_start(strict: Emulator, name: str, source: str, kind: str) -> None:
    strict.function(name, source=source)
    assert error(strict, name, {})["errorType"] == kind
