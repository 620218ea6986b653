"""`check`, `compile`, `explain`, `eval`, `convert`: what is printed where, and the exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import files, outcome
from loopstep.diagnostics.codes import CODES
from loopstep.source.limits import DOCUMENT_BYTES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "data_flow.yaml"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The example with two independent faults, on lines 21 and 45 as in the original."""
    text = EXAMPLE.read_text(encoding="utf-8")
    plan = tmp_path / "订单.yaml"
    plan.write_text(
        text.replace("ref: input.request", "ref: input.reqest").replace("port: completed}", "port: done}", 1)
    )
    return plan


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    text = EXAMPLE.read_text(encoding="utf-8")
    plan = tmp_path / "warned.yaml"
    optional = text.replace(
        "        summary: {type: string, required: true}\n      sendMessage",
        "        summary: {type: string}\n      sendMessage",
    )
    plan.write_text(optional)
    return plan


def test_check_of_a_good_plan(cli: Any) -> None:
    done = cli("check", str(EXAMPLE))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no problems\n")


def test_check_as_json(cli: Any, broken: Path) -> None:
    done = cli("check", "--json", str(EXAMPLE), str(broken))
    answer = json.loads(done.stdout)
    assert done.exit_code == outcome.NO
    assert [each["file"] for each in answer["files"]] == [str(EXAMPLE), str(broken)]
    good, bad = (each["diagnostics"] for each in answer["files"])
    assert good == []
    assert [each["code"] for each in bad] == ["reference.unknown_field", "graph.unknown_port"]
    assert {*bad[0]} == {
        "code",
        "severity",
        "message",
        "path",
        "line",
        "column",
        "endLine",
        "endColumn",
        "hint",
        "related",
    }


def test_check_for_people_shows_the_line(cli: Any, broken: Path) -> None:
    done = cli("check", str(broken))
    assert done.exit_code == outcome.NO
    assert "input.reqest" in done.stdout and "input.request" in done.stdout
    assert "\x1b" not in done.stdout


def test_check_of_stdin(cli: Any) -> None:
    done = cli("check", "-", "--json", stdin="kind: [")
    assert [each["code"] for each in json.loads(done.stdout)["files"][0]["diagnostics"]] == ["document.syntax"]
    assert cli("check", "-", stdin=b"\xff\xfe\x00").exit_code == outcome.NO


def test_check_as_sarif(cli: Any, broken: Path) -> None:
    done = cli("check", "--sarif", str(broken))
    run = json.loads(done.stdout)["runs"][0]
    assert [each["ruleId"] for each in run["results"]] == ["reference.unknown_field", "graph.unknown_port"]


def test_warnings_alone_are_no_errors(cli: Any, warned: Path) -> None:
    done = cli("check", str(warned), "--json")
    severities = [each["severity"] for each in json.loads(done.stdout)["files"][0]["diagnostics"]]
    assert (done.exit_code, severities) == (0, ["warning"])
    compiled = cli("compile", str(warned))
    assert compiled.exit_code == 0
    assert "template.optional_reference" in compiled.stderr
    assert json.loads(compiled.stdout)["StartAt"] == "normalize"


def test_check_for_annotations_of_github(cli: Any, broken: Path, warned: Path) -> None:
    done = cli("check", "--github", str(broken), str(EXAMPLE))
    assert done.exit_code == outcome.NO
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all(line.startswith(f"::error file={broken},line=") for line in lines)
    assert ",title=graph.unknown_port::" in done.stdout and done.stderr == ""
    assert cli("check", "--github", str(warned)).stdout.startswith("::warning file=")
    assert cli("check", "--github", str(EXAMPLE)).stdout == ""


def test_check_passes_over_what_is_no_plan(cli: Any, broken: Path, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n", encoding="utf-8")
    (tmp_path / "cut.yaml").write_text("apiVersion: loop.plan/v1\ngraph: [", encoding="utf-8")
    done = cli("check", "--plans-only", "--json", str(tmp_path / "pod.yaml"), str(EXAMPLE))
    assert (done.exit_code, len(json.loads(done.stdout)["files"])) == (outcome.OK, 1)
    assert cli("check", "--plans-only", str(tmp_path / "pod.yaml")).exit_code == outcome.OK
    assert cli("check", "--plans-only", str(tmp_path / "cut.yaml")).exit_code == outcome.NO
    assert cli("check", str(tmp_path / "pod.yaml")).exit_code == outcome.NO


@pytest.mark.parametrize("forms", [("--json", "--github"), ("--sarif", "--github"), ("--json", "--sarif", "--github")])
def test_check_has_one_form_at_a_time(cli: Any, forms: tuple[str, ...]) -> None:
    done = cli("check", *forms, str(EXAMPLE))
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")


@pytest.mark.parametrize("arguments", [["check"], ["check", "/no/such.yaml"], ["check", "--json", "--sarif", "-"]])
def test_check_used_wrongly(cli: Any, arguments: list[str]) -> None:
    assert cli(*arguments, stdin="{}").exit_code == outcome.USAGE


def test_compile_prints_the_definition_and_nothing_else(cli: Any) -> None:
    done = cli("compile", str(EXAMPLE))
    assert (done.exit_code, done.stderr) == (0, "")
    definition = json.loads(done.stdout)
    assert definition["StartAt"] == "normalize"
    assert done.stdout == cli("compile", "-", stdin=EXAMPLE.read_bytes()).stdout


def test_compile_to_a_file(cli: Any, tmp_path: Path) -> None:
    target = tmp_path / "machine.asl.json"
    done = cli("compile", str(EXAMPLE), "-o", str(target))
    assert (done.exit_code, done.stdout) == (0, "")
    assert target.read_text(encoding="utf-8") == cli("compile", str(EXAMPLE)).stdout
    assert cli("compile", str(EXAMPLE), "-o", str(tmp_path / "no" / "such")).exit_code == outcome.USAGE


def test_compile_of_a_broken_plan_writes_nothing(cli: Any, broken: Path, tmp_path: Path) -> None:
    done = cli("compile", str(broken), "-o", str(tmp_path / "machine.json"))
    assert (done.exit_code, done.stdout) == (outcome.NO, "")
    assert "graph.unknown_port" in done.stderr
    assert not (tmp_path / "machine.json").exists()


def test_explain_answers_the_review_questions(cli: Any) -> None:
    flow = json.loads(cli("explain", str(EXAMPLE), "--json").stdout)
    assert flow["input"]["request"] == {"type": "string", "required": True}
    assert flow["state"]["normalized"]["default"] == ""
    assert {node["id"]: [*node["input"]] for node in flow["nodes"]} == {
        "normalize": ["request"],
        "notify": ["dispatch_scope", "summary"],
        "success": ["summary"],  # the plan's own contract
        "failure": [],
    }
    edges = {edge["id"]: edge for edge in flow["edges"]}
    assert [*edges] == ["entry", "normalized", "normalize_failed", "notified", "notify_failed"]
    assert edges["normalized"]["values"][1] == {
        "source": "state.normalized",
        "sourceType": "string",
        "target": "summary",
        "targetType": "string",
        "conversion": None,
    }
    assert flow["arrivalOrder"] == []


def test_explain_for_people(cli: Any) -> None:
    text = cli("explain", str(EXAMPLE)).stdout
    assert "  normalized: normalize.completed → notify.in\n" in text
    assert "      summary ← state.normalized                  string\n" in text
    assert text.endswith("order of arrival\n  nothing depends on it\n")


def test_explain_names_what_depends_on_the_order_of_arrival(cli: Any, tmp_path: Path) -> None:
    plan = tmp_path / "race.yaml"
    plan.write_text(
        """
apiVersion: loop.plan/v1
kind: PlanVersion
output: {first: {type: string, required: true}}
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: quick, type: pass, pass: {}}
    - {id: slow, type: pass, pass: {}}
    - id: both
      type: join
      output: {first: {type: string, required: true}}
      join: {fanOut: split, mode: any, merge: {first: {ref: winner.branch}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: to_l, source: {nodeId: split, port: l}, target: {nodeId: quick, port: in}}
    - {id: to_r, source: {nodeId: split, port: r}, target: {nodeId: slow, port: in}}
    - {id: l_in, source: {nodeId: quick, port: completed}, target: {nodeId: both, port: in}}
    - {id: r_in, source: {nodeId: slow, port: completed}, target: {nodeId: both, port: in}}
    - {id: out, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
"""
    )
    done = cli("explain", str(plan), "--json")
    assert done.exit_code == 0, done.stdout
    assert [each["node"] for each in json.loads(done.stdout)["arrivalOrder"]] == ["both"]


def test_explain_of_a_run_time_code(cli: Any) -> None:
    assert "timeout" in cli("explain", "node.timeout").stdout
    told = json.loads(cli("explain", "node.timeout", "--json").stdout)
    assert told["severity"] == "run time" and told["whatToDo"]
    assert "node.crashed" in cli("explain", "node.crash").stderr


def test_explain_of_a_broken_plan(cli: Any, broken: Path) -> None:
    done = cli("explain", str(broken))
    assert (done.exit_code, done.stdout) == (outcome.NO, "")
    assert "graph.unknown_port" in done.stderr
    answer = json.loads(cli("explain", str(broken), "--json").stdout)
    assert len(answer["files"][0]["diagnostics"]) == 2


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_of_a_code(cli: Any, code: str) -> None:
    done = cli("explain", code)
    assert done.exit_code == 0
    assert done.stdout.startswith(code)
    assert json.loads(cli("explain", code, "--json").stdout)["why"]


def test_explain_of_nothing_known(cli: Any) -> None:
    assert cli("explain", "no.such_code").exit_code == outcome.USAGE


def test_explain_of_a_code_that_was_mistyped(cli: Any) -> None:
    code = sorted(CODES)[0]
    done = cli("explain", code[:-2] + code[-1])
    assert done.exit_code == outcome.USAGE
    assert f'did you mean "{code}"?' in done.stderr


def test_check_answers_for_the_files_that_can_be_read(cli: Any, broken: Path) -> None:
    done = cli("check", str(EXAMPLE), "/no/such.yaml", str(broken), "--json")
    assert done.exit_code == outcome.USAGE
    assert [each["file"] for each in json.loads(done.stdout)["files"]] == [str(EXAMPLE), str(broken)]
    assert "/no/such.yaml: No such file" in done.stderr
    done = cli("check", "/no/such.yaml", str(broken))
    assert done.exit_code == outcome.USAGE
    assert "graph.unknown_port" in done.stdout


@pytest.mark.parametrize("command", ["check", "compile", "explain", "graph", "publish"])
def test_an_endless_file_is_read_up_to_the_limit(cli: Any, service: Any, command: str) -> None:
    done = cli(command, "/dev/zero", *(["--name", "p"] if command == "publish" else []))
    assert done.exit_code == outcome.NO
    assert "document.too_large" in done.output


def test_no_more_than_the_limit_is_read(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.write_bytes(b"#" * (DOCUMENT_BYTES + 10))
    assert len(files.read_document(str(whole))) == DOCUMENT_BYTES + 1


def test_json_has_an_answer_for_a_broken_plan_too(cli: Any, broken: Path) -> None:
    expected = json.loads(cli("check", str(broken), "--json").stdout)
    for command in ("compile", "explain", "graph"):
        done = cli(command, str(broken), "--json")
        assert (done.exit_code, json.loads(done.stdout)) == (outcome.NO, expected)
    assert cli("compile", str(EXAMPLE), "--json").stdout == cli("compile", str(EXAMPLE)).stdout


def test_a_document_cannot_steer_the_terminal(cli: Any, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(EXAMPLE.read_text(encoding="utf-8").replace("type: string", 'type: "\\e[2J\\u202E"', 1))
    done = cli("check", str(plan))
    assert done.exit_code == outcome.NO
    assert "\x1b" not in done.output and "\u202e" not in done.output
    assert "\\u{1b}[2J\\u{202e}" in done.stdout
    messages = [
        each["message"] for each in json.loads(cli("check", str(plan), "--json").stdout)["files"][0]["diagnostics"]
    ]
    assert any("\x1b[2J\u202e" in message for message in messages)


def test_eval(cli: Any) -> None:
    asked = {"expr": "input.n + 1 > 2 && input.tag == 'a'", "data": {"input": {"n": 2, "tag": "a"}}}
    lines = json.dumps(asked) + "\n\n" + json.dumps({"expr": "1 +"}) + "\n"
    done = cli("eval", "--jsonl", stdin=lines)
    assert done.exit_code == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == [{"value": True}, {"error": "expr.syntax"}]
    assert "jsonata" in json.loads(cli("eval", "--jsonl", "--jsonata", stdin=json.dumps(asked)).stdout)
    assert cli("eval").exit_code == outcome.USAGE


def test_convert(cli: Any) -> None:
    asked = {"kind": "value", "to": "number", "value": "12.5"}
    done = cli("convert", "--jsonl", stdin=json.dumps(asked) + "\n")
    assert json.loads(done.stdout) == {"value": 12.5, "reason": None}


def test_output_is_utf_8_whatever_the_locale_says(broken: Path) -> None:
    code = "from loopstep.cli.main import main; main()"
    environment = {"PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--json", broken.name],
        capture_output=True,
        env=environment,
        cwd=broken.parent,
    )
    assert json.loads(done.stdout.decode("utf-8"))["files"][0]["file"] == "订单.yaml"


def test_the_readme_plan_is_right(cli: Any) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```yaml\n(.*?)```", readme, re.S)
    assert found
    done = cli("check", "-", stdin=found[1])
    assert (done.exit_code, done.stdout) == (0, "")


def test_the_readme_names_only_commands_that_exist(cli: Any) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in {*re.findall(r"^ +loopstep (\w+)", readme, re.M)}:
        assert cli(name, "--help").exit_code == 0, name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in {*re.findall(r"\bmake (\w+)", readme)}:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_explain_shows_literals_and_defaults_and_no_secrets(cli: Any, tmp_path: Path) -> None:
    plan = tmp_path / "p.yaml"
    plan.write_text(
        """
apiVersion: loop.plan/v1
kind: PlanVersion
input: {note: {type: string}}
output: {decision: {type: string, required: true}}
state: {key: {type: string, required: true, default: hunter2, secret: true}}
graph:
  entry: {nodeId: look, port: in, input: {note: {ref: plan.input.note, default: none}, token: {value: hunter2}}}
  nodes:
    - id: look
      type: pass
      input: {note: {type: string, required: true}, token: {type: string, required: true, secret: true}}
      pass: {}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: out
      source: {nodeId: look, port: completed}
      target: {nodeId: done, port: in}
      bindings: {decision: {value: paid}}
"""
    )
    text = cli("explain", str(plan)).stdout
    assert 'decision ← "paid"' in text
    assert 'note ← plan.input.note, else "none"' in text
    assert 'token ← "***"' in text and 'default "***"' in text
    flow = cli("explain", str(plan), "--json").stdout
    values = {each["target"]: each for each in json.loads(flow)["edges"][0]["values"]}
    assert (values["note"]["default"], values["token"]["value"]) == ("none", "***")
    assert "hunter2" not in text + flow
    for form in ("mermaid", "svg"):
        assert "hunter2" not in cli("graph", str(plan), "--data", "--format", form).stdout


def test_graph(cli: Any, tmp_path: Path, broken: Path) -> None:
    done = cli("graph", str(EXAMPLE))
    assert done.exit_code == 0 and done.stdout.startswith("flowchart TD\n")
    assert '  n_normalize -->|"completed"| n_notify\n' in done.stdout
    assert cli("graph", "-", "--format", "svg", stdin=EXAMPLE.read_bytes()).stdout.startswith("<svg ")
    target = tmp_path / "p.svg"
    assert cli("graph", str(EXAMPLE), "--data", "-o", str(target)).stdout == ""
    assert "Edge bindings" in target.read_text(encoding="utf-8")
    assert cli("graph", str(EXAMPLE), "--data").stdout.startswith("flowchart LR\n")
    assert json.loads(cli("graph", str(EXAMPLE), "--json").stdout)["entry"] == {"nodeId": "normalize", "port": "in"}
    assert cli("graph", str(EXAMPLE), "-o", str(tmp_path / "no" / "such")).exit_code == outcome.USAGE
    wrong = cli("graph", str(broken))
    assert (wrong.exit_code, wrong.stdout) == (outcome.NO, "")
    assert "graph.unknown_port" in wrong.stderr


def test_graph_of_data_says_where_each_root_is_visible(cli: Any) -> None:
    loop = ROOT / "docs" / "nodes" / "examples" / "loop.yaml"
    places = json.loads(cli("graph", str(loop), "--data", "--json").stdout)
    sees = {each["id"]: each["sees"] for each in places["edges"]}
    body = next(each for each in places["edges"] if each.get("port") == "body")
    assert sees["entry"] == ["plan", "state"]
    assert "loop" in sees[body["id"]]
    join = ROOT / "docs" / "nodes" / "examples" / "fan_out.yaml"
    places = json.loads(cli("graph", str(join), "--data", "--json").stdout)
    assert {each["id"]: each["sees"] for each in places["edges"]}["one"] == ["plan", "state", "input", "item"]
    assert {each["id"]: each["sees"] for each in places["edges"]}["finished"] == ["plan", "state", "output"]
    assert {each["id"]: each["sees"] for each in places["nodes"]}["all"] == ["plan", "state", "items"]
