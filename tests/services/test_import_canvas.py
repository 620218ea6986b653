"""The compiler function's actions for canvas documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loopstep.compiler.compile import compile
from loopstep.diagnostics.pages import PAGES
from loopstep.services.compiler_face import CompilerFace, Reply
from tests.registered import EVERYTHING

TRIAGE = (Path(__file__).resolve().parents[2] / "examples" / "canvas" / "support_triage.json").read_text("utf-8")

UNKNOWN = ("registry.unknown", "warning")  # the plan is there all the same


def ask(aws: Any, **event: Any) -> Reply:
    return CompilerFace(aws.publisher()).answer(event)


def test_import(aws: Any) -> None:
    fine = ask(aws, action="import", document=TRIAGE)
    assert (fine.status, [(each["code"], each["severity"]) for each in fine.body["diagnostics"]]) == (200, [UNKNOWN])
    assert fine.body["plan"]["metadata"]["name"] == "support_triage"
    assert compile(fine.body["text"], None, EVERYTHING).diagnostics == ()
    ask(aws, action="register", kind="source", id="handbook", document='{"kind": "DOCUMENT"}')
    assert ask(aws, action="import", document=TRIAGE).body == {**fine.body, "diagnostics": []}
    wrong = ask(aws, action="import", document=PAGES["canvas.cycle"].wrong)
    assert (wrong.status, wrong.body["plan"], wrong.body["text"]) == (200, None, "")
    assert [each["code"] for each in wrong.body["diagnostics"]] == ["canvas.cycle"]


def test_mappings(aws: Any) -> None:
    found = ask(aws, action="mappings", node="tone", document=TRIAGE)
    assert found.status == 200
    assert [each["nodeId"] for each in found.body["options"]][:2] == ["billing", "general"]


@pytest.mark.parametrize(
    ("event", "status", "code"),
    [
        ({"node": "gone", "document": TRIAGE}, 404, "canvas.node_unknown"),
        ({"node": "ask", "document": "{"}, 422, "canvas.invalid"),
        ({"document": TRIAGE}, 400, "request.invalid"),
        ({"node": "", "document": TRIAGE}, 400, "request.invalid"),
    ],
)
def test_refusals(aws: Any, event: dict[str, Any], status: int, code: str) -> None:
    reply = ask(aws, action="mappings", **event)
    assert (reply.status, reply.body["code"]) == (status, code)
    assert ("diagnostics" in reply.body) == (status == 422)
