"""What `loopstep demo --canvas` shows and starts, without the local cloud; `make demo-canvas` is all of it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import demo_canvas
from loopstep.cli.remote import opener

ROOT = Path(__file__).resolve().parents[2]


def test_the_model_says_its_answers_in_order_and_is_gone_afterwards() -> None:
    with demo_canvas._model(ROOT) as url:
        assert url.startswith("http://127.0.0.1:")
        assert [_ask(url) for _ in demo_canvas.ANSWERS] == list(demo_canvas.ANSWERS)
    with pytest.raises(urllib.error.URLError):
        _ask(url)


def test_the_model_is_gone_after_a_failure_too() -> None:
    with pytest.raises(ZeroDivisionError), demo_canvas._model(ROOT) as url:
        raise ZeroDivisionError
    with pytest.raises(urllib.error.URLError):
        _ask(url)


def test_the_branch_is_shown_with_its_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    conditions = [{"expression": "about money"}, {"expression": "anything else"}]
    plan = {"graph": {"nodes": [{"id": "kind", "condition": {"conditions": conditions}}]}}
    usage = {"calls": 1, "inputTokens": 11, "outputTokens": 7}
    demo_canvas._show_branch(plan, {"nodeId": "kind", "port": "branch_1", "tries": [{"usage": usage}]})
    said = capsys.readouterr().out
    assert "    0  about money\n  → 1  anything else\n" in said


def test_the_demo_has_what_its_canvas_refers_to() -> None:
    canvas = json.loads((ROOT / demo_canvas.EXAMPLE).read_text(encoding="utf-8"))
    search = next(node for node in canvas["nodes"] if node["type"] == "knowledgeRetrieval")
    assert search["data"]["documentIds"] == [demo_canvas.SOURCE] and list((ROOT / demo_canvas.HANDBOOK).glob("*.md"))


def _ask(url: str) -> Any:
    body = json.dumps({"messages": [{"role": "user", "content": "?"}]}).encode()
    with opener(url).open(urllib.request.Request(f"{url}/v1/chat/completions", body), timeout=10) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]
