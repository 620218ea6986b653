"""`loopstep run`: what is sent, what is followed, how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopstep.canvas.lower import import_canvas
from loopstep.cli import outcome
from loopstep.cli import run as run_module

STARTED = {"runId": "r1", "plan": "p", "version": 2, "status": "running"}
RUN = {
    **STARTED,
    "input": {"request": "x"},
    "output": None,
    "error": None,
    "startedAt": "2026-01-01T00:00:00.000Z",
    "endedAt": None,
}
ACTIVATION = {
    "id": "normalize#",
    "nodeId": "normalize",
    "path": [],
    "status": "completed",
    "attempts": 1,
    "input": {},
    "output": None,
    "error": None,
    "port": "completed",
    "edge": "normalized",
    "revision": 1,
    "wrote": {"normalized": "x"},
    "startedAt": "2026-01-01T00:00:00.100Z",
    "endedAt": "2026-01-01T00:00:00.112Z",
}
MESSAGE = {"id": "m", "runId": "r1", "nodeId": "notify", "scope": "team", "text": "已登记请求：x", "sentAt": None}


def ended(status: str, **more: Any) -> dict[str, Any]:
    return {**RUN, "status": status, "endedAt": "2026-01-01T00:00:01.500Z", **more}


@pytest.fixture
def started(service: Any) -> Any:
    service.on("POST /plans/p/runs", (202, STARTED))
    service.on("GET /runs/r1/activations", (200, {"items": [ACTIVATION], "next": None}))
    service.on("GET /plans/p/versions/2", (200, {"state": {"normalized": {"default": ""}, "count": {"default": 0}}}))
    service.on("GET /messages", (200, {"items": [MESSAGE], "next": None}))
    service.on("GET /runs/r1", (200, RUN), (200, ended("succeeded", output={"summary": "x"})))
    return service


def test_start_prints_the_run(cli: Any, started: Any) -> None:
    done = cli("run", "p", "--input", '{"request": "x"}', "--version", "2", "--idempotency-key", "k 1")
    assert (done.exit_code, done.stdout) == (0, "r1\n")
    asked = started.asked("POST /plans/p/runs")[0]
    assert asked.data == {"input": {"request": "x"}, "version": 2}
    assert asked.headers["idempotency-key"] == "k 1"


def test_start_as_json(cli: Any, started: Any) -> None:
    assert json.loads(cli("run", "p", "--json").stdout) == STARTED


def test_watch_shows_progress_on_stderr_and_the_run_on_stdout(cli: Any, started: Any) -> None:
    done = cli("run", "p", "--watch")
    assert done.exit_code == 0
    assert done.stderr.count("normalize") == 2  # once: the node and its edge on one line
    assert "completed → normalized" in done.stderr
    for expected in ("succeeded after 1.5 s", "+0.100 s  normalize  completed  12 ms", "已登记请求：x", 'summary  "x"'):
        assert expected in done.stdout


def test_watch_as_json_is_one_document(cli: Any, started: Any) -> None:
    done = cli("run", "p", "--watch", "--json")
    assert json.loads(done.stdout)["output"] == {"summary": "x"}


@pytest.mark.parametrize("status", ["failed", "cancelled", "timed_out"])
def test_another_end_is_1(cli: Any, started: Any, status: str) -> None:
    error = {"code": "data_flow_failed", "message": "It failed.", "nodeId": "failure"}
    started.on("GET /runs/r1", (200, ended(status, error=error)))
    done = cli("run", "p", "--watch")
    assert done.exit_code == outcome.NO
    assert "error data_flow_failed at failure: It failed." in done.stdout


def test_still_running_after_the_timeout_is_7(cli: Any, started: Any) -> None:
    started.on("GET /runs/r1", (200, RUN))
    done = cli("run", "p", "--timeout", "0", "--json")
    assert done.exit_code == outcome.STILL_RUNNING
    assert json.loads(done.stdout)["status"] == "running"


def test_interrupt_leaves_the_run_alone(cli: Any, started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "_tell", interrupted)
    done = cli("run", "p", "--watch")
    assert done.exit_code == outcome.INTERRUPTED
    assert "The run goes on: loopstep show r1" in done.stderr
    assert not started.asked("POST /runs/r1/cancel")


GIVEN = [
    "{",
    "[1]",
    "NaN",
    '{"a": Infinity}',
    '{"a": 1e999}',
    "@/no/such/file",
    "@/dev/zero",
    "@a\0b",
    '{"customer": "\\ud800"}',
    '{"\\udfff": 1}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "b": 1}}',
    '{"a":' + "[" * 100_000,
    '{"a": ' + "1" * 5000 + "}",
]


@pytest.mark.parametrize("given", GIVEN)
def test_an_input_that_is_no_object_is_2(cli: Any, started: Any, given: str) -> None:
    done = cli("run", "p", "--input", given)
    assert done.exit_code == outcome.USAGE
    assert not started.requests


def test_an_input_from_a_file_and_from_stdin(cli: Any, started: Any, tmp_path: Path) -> None:
    (tmp_path / "input.json").write_text('{"request": "从文件"}', encoding="utf-8")
    cli("run", "p", "--input", f"@{tmp_path / 'input.json'}")
    cli("run", "p", "--input", "@-", stdin='{"request": "y"}')
    assert [each.data["input"]["request"] for each in started.asked("POST /plans/p/runs")] == ["从文件", "y"]


def test_a_file_is_published_first(cli: Any, started: Any, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text("apiVersion: loop.plan/v1\nkind: PlanVersion\n")
    started.on("PUT /plans/p", (201, {"name": "p", "version": 2, "unchanged": False, "diagnostics": []}))
    assert cli("run", str(plan)).stdout == "r1\n"
    assert started.asked("PUT /plans/p")[0].body == plan.read_bytes()


def test_a_file_with_errors_starts_nothing(cli: Any, started: Any, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text("apiVersion: loop.plan/v1\nmetadata: {name: other}\n")
    diagnostic = {"code": "document.version", "severity": "error", "message": "Old.", "line": 1, "column": 13}
    started.on("PUT /plans/other", (422, {"code": "plan.invalid", "detail": "No.", "diagnostics": [diagnostic]}))
    done = cli("run", str(plan))
    assert done.exit_code == outcome.NO
    assert f"{plan}:1:13: error[document.version]: Old." in done.stderr
    assert not started.asked("POST /plans/other/runs")


def test_show_as_json(cli: Any, started: Any) -> None:
    started.on("GET /runs/r1", (200, ended("succeeded")))
    shown = json.loads(cli("show", "r1", "--json").stdout)
    assert shown == {
        "run": ended("succeeded"),
        "state": {"normalized": "x", "count": 0},
        "activations": [ACTIVATION],
        "messages": [MESSAGE],
    }


def test_what_a_redrive_begins_again_between_two_pages_is_shown_once(cli: Any, started: Any) -> None:
    other, again = {**ACTIVATION, "id": "other#"}, {**ACTIVATION, "attempts": 2}
    started.on(
        "GET /runs/r1/activations",
        (200, {"items": [ACTIVATION, other], "next": "more"}),
        (200, {"items": [again], "next": None}),
    )
    assert json.loads(cli("show", "r1", "--json").stdout)["activations"] == [other, again]


def test_cancel_and_messages(cli: Any, started: Any) -> None:
    started.on("POST /runs/r1/cancel", (200, {"runId": "r1", "status": "cancelled"}))
    assert cli("cancel", "r1").stdout == "r1: cancelled\n"
    assert "team" in cli("messages", "--run", "r1").stdout
    assert started.asked("GET /messages")[0].query == {"limit": "50", "runId": "r1"}
    assert cli("messages").exit_code == outcome.USAGE


def test_an_input_from_a_file_that_is_not_utf_8(cli: Any, started: Any, tmp_path: Path) -> None:
    (tmp_path / "input.json").write_bytes(b'{"request": "\xff"}')
    done = cli("run", "p", "--input", f"@{tmp_path / 'input.json'}")
    assert done.exit_code == outcome.USAGE
    assert "is not UTF-8 (byte 14)" in done.stderr
    assert not started.requests


def test_whole_surrogate_pairs_are_characters(cli: Any, started: Any) -> None:
    assert cli("run", "p", "--input", '{"request": "\\ud83d\\ude00"}').exit_code == 0
    assert started.asked("POST /plans/p/runs")[0].data["input"] == {"request": "\N{GRINNING FACE}"}


@pytest.mark.parametrize(
    "option",
    [("--idempotency-key", key) for key in ("", " ", "a\nb", "ü", "x" * 256, " a")]
    + [("--timeout", seconds) for seconds in ("nan", "-1", "NaN", "x")]
    + [("--name", ""), ("--name", " ")],
)
def test_an_option_that_says_nothing_usable_is_2(cli: Any, started: Any, option: tuple[str, str]) -> None:
    done = cli("run", "p", *option)
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
    assert not started.requests


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"metadata: {name: p}\n# \xff", "document.syntax"),
        (b"metadata: {name: p}\n" + b"#" * 1024 * 1024, "document.too_large"),
        (b"kind: [", "document.syntax"),
        (b"", "document.empty"),
    ],
)
def test_what_is_no_document_is_not_sent(cli: Any, started: Any, tmp_path: Path, document: bytes, code: str) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_bytes(document)
    found = json.loads(cli("check", str(plan), "--json").stdout)["files"][0]["diagnostics"]
    if code != "document.empty":
        assert [each["code"] for each in found] == [code]
    for command in (["publish", str(plan)], ["publish", "--name", "p", str(plan)], ["run", str(plan)]):
        done = cli(*command)
        assert done.exit_code == outcome.NO
        assert f"{plan}:{found[0]['line']}:{found[0]['column']}: error[{found[0]['code']}]" in done.stderr
    done = cli("publish", str(plan), "--json")
    problem = json.loads(done.stdout)
    assert (done.exit_code, problem["code"], problem["diagnostics"]) == (outcome.NO, "plan.invalid", found)
    assert not started.requests


def test_diagnostics_of_the_api_cannot_steer_the_terminal(cli: Any, service: Any, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text("a: 1\n")
    diagnostic = {"code": "x.y", "severity": "error", "message": "no \x1b[2J", "line": 1, "column": 1}
    service.on("PUT /plans/p", (422, {"code": "plan.invalid", "detail": "No.", "diagnostics": [diagnostic]}))
    assert "no \\u{1b}[2J" in cli("publish", str(plan)).stderr


LEFT_OUT = {"bytes": 6_000_000, "url": "https://s3/x"}


def test_show_says_what_was_left_out(cli: Any, started: Any) -> None:
    omitted = {"input": {"bytes": 340_000, "url": None}, "output": LEFT_OUT}
    started.on("GET /runs/r1", (200, ended("succeeded", input=None, output=None, omitted=omitted)))
    wrote = {"normalized": None, "count": None}
    first = {**ACTIVATION, "wrote": wrote, "omitted": {"wrote.normalized": LEFT_OUT, "wrote.count": LEFT_OUT}}
    second = {**ACTIVATION, "id": "b#", "revision": 2, "wrote": {"count": 3}}
    started.on("GET /runs/r1/activations", (200, {"items": [first, second], "next": None}))
    text = cli("show", "r1").stdout
    assert "input  (340 kB, left out)\n" in text
    assert "  normalized  (6.0 MB, left out, see --json for a link)\n" in text
    assert "  count       3\n" in text
    assert "output  (6.0 MB, left out, see --json for a link)\n" in text
    assert "null" not in text
    shown = json.loads(cli("show", "r1", "--json").stdout)
    assert shown["state"] == {"normalized": None, "count": 3}
    assert shown["omitted"] == {"state.normalized": LEFT_OUT}
    assert shown["run"]["omitted"] == omitted


def test_the_error_of_a_run_cannot_steer_the_terminal(cli: Any, started: Any) -> None:
    error = {"code": "c", "message": "a\x1b[2J\nb", "nodeId": None, "more": "\u202e\x9b"}
    started.on("GET /runs/r1", (200, ended("failed", error=error)))
    text = cli("show", "r1").stdout
    assert "error c at the run: a [2J b\n" in text
    assert "\u202e" not in text and "\x9b" not in text


CANVAS = '{"id": "c", "nodes": [], "edges": []}'


def test_a_canvas_is_imported_published_and_run(cli: Any, service: Any, tmp_path: Path) -> None:
    file = tmp_path / "drawn.json"
    file.write_text(CANVAS)
    warning = {"code": "canvas.variable_shadowed", "severity": "warning", "message": "m", "line": 3, "column": 1}
    imported = {"plan": {"metadata": {"name": "c"}}, "text": "apiVersion: x\n", "diagnostics": [warning]}
    service.on("POST /canvas/import", (200, imported))
    service.on("PUT /plans/c", (201, {"name": "c", "version": 1, "diagnostics": []}))
    service.on("POST /plans/c/runs", (202, STARTED))
    done = cli("run", str(file), "--input", '{"q": "x"}')
    assert done.exit_code == 0 and "drawn.json:3:1: warning[canvas.variable_shadowed]" in done.stderr
    assert service.asked("POST /canvas/import")[0].body == CANVAS.encode()
    assert service.asked("PUT /plans/c")[0].body == b"apiVersion: x\n"
    assert service.asked("POST /plans/c/runs")[0].data == {"input": {"q": "x"}}


def test_a_canvas_without_a_name_of_a_plan_is_named_by_its_file(cli: Any, service: Any, tmp_path: Path) -> None:
    file = tmp_path / "my-canvas.json"
    file.write_text(CANVAS)
    service.on("POST /canvas/import", (200, {"plan": {"metadata": {}}, "text": "x", "diagnostics": []}))
    service.on("PUT /plans/my_canvas", (201, {"name": "my_canvas", "version": 1, "diagnostics": []}))
    service.on("POST /plans/my_canvas/runs", (202, STARTED))
    assert cli("run", str(file)).exit_code == 0
    lowered = import_canvas('{"nodes": [{"id": "a", "type": "output"}]}')
    service.on("POST /canvas/import", (200, {"plan": lowered.plan, "text": lowered.text, "diagnostics": []}))
    assert cli("run", str(file)).exit_code == 0
    assert cli("run", str(file), "--name", "my_canvas").exit_code == cli("publish", str(file)).exit_code == 0
    done = cli("publish", "-", stdin=CANVAS)
    assert done.exit_code == outcome.USAGE and "has no name" in done.stderr and "--name" in done.stderr


@pytest.mark.parametrize("content", [CANVAS, '{"apiVersion": "loop.plan/v1"}', '{"metadata": {"name": "我的 flow"}}'])
def test_a_name_that_no_plan_can_have_is_said_with_the_way_out(
    cli: Any, service: Any, tmp_path: Path, content: str
) -> None:
    service.on("POST /canvas/import", (200, {"plan": {}, "text": "x", "diagnostics": []}))
    file = tmp_path / "中文.json"
    file.write_text(content, encoding="utf-8")
    for command in (["publish", str(file)], ["run", str(file)], ["publish", str(file), "--name", "我的"]):
        done = cli(*command)
        assert done.exit_code == outcome.USAGE
        assert "cannot be a plan's name" in done.stderr and "Give --name: a letter" in done.stderr
    assert not [each for each in service.requests if each.method == "PUT"]
    service.on("PUT /plans/mine", (201, {"name": "mine", "version": 1, "diagnostics": []}))
    assert cli("publish", str(file), "--name", "mine").exit_code == 0


def test_a_canvas_with_errors_starts_nothing(cli: Any, service: Any, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(CANVAS)
    error = {"code": "canvas.cycle", "severity": "error", "message": "m", "line": 1, "column": 2}
    service.on("POST /canvas/import", (200, {"plan": None, "text": "", "diagnostics": [error]}))
    done = cli("run", str(file))
    assert done.exit_code == 1 and "c.json:1:2: error[canvas.cycle]" in done.stderr
    done = cli("publish", str(file))
    assert done.exit_code == 1 and "error[canvas.cycle]" in done.stderr
    assert {each.path for each in service.requests} == {"/canvas/import"}


def test_why_a_lowered_plan_is_refused_is_said_at_the_canvas(cli: Any, service: Any, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(CANVAS)
    unknown = {"code": "registry.unknown", "severity": "warning", "message": "m", "line": 6, "column": 9}
    service.on(
        "POST /canvas/import", (200, {"plan": {"metadata": {"name": "c"}}, "text": "x", "diagnostics": [unknown]})
    )
    refused = {"code": "plan.invalid", "diagnostics": [{**unknown, "severity": "error", "line": 40, "column": 1}]}
    service.on("PUT /plans/c", (422, refused))
    done = cli("run", str(file))
    assert done.exit_code == 1 and "c.json:6:9: error[registry.unknown]" in done.stderr and ":40:" not in done.stderr
