"""The JSON Schema of plans: valid, current, true of every plan that compiles, and false of what a schema can catch."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from loopstep.cli.main import run
from loopstep.compiler import grammar
from loopstep.compiler.compile import compile
from loopstep.convert.registry import TARGETS
from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.diagnostic import has_errors
from loopstep.diagnostics.pages import PAGES
from loopstep.expressions.functions import FUNCTIONS
from loopstep.expressions.scope import ROOTS
from loopstep.nodes.catalog import CATALOG
from loopstep.schema.plan_schema import plan_schema, schema_text
from loopstep.schema.skeletons import edge_skeleton, node_skeleton, plan_skeleton
from loopstep.source.document import plain
from loopstep.source.load import load
from loopstep.types.schema import TYPES
from tests.house.modules import ROOT

SCHEMA = plan_schema()
VALIDATOR = Draft7Validator(SCHEMA)
EXAMPLES = [
    path for path in sorted((ROOT / "examples").rglob("*.yaml")) if "loop.plan/" in path.read_text(encoding="utf-8")
]
PLANS = sorted(
    path
    for folder in ("examples", "tests/golden/plans", "tests/golden/canvas", "tests/conformance", "docs/nodes/examples")
    for path in (ROOT / folder).rglob("*.yaml")
    if "loop.plan/" in path.read_text(encoding="utf-8")
)
CASES = sorted(ROOT.parent.glob("shared/cases/check/*.yaml"))

# What a schema can catch, whole or in part: it sees one mapping at a time, no names, types, scopes or edges.
CATCHABLE = {
    "document.unknown_field",
    "document.missing_field",
    "document.invalid_value",
    "document.version",
    "schema.invalid",
    "schema.default_mismatch",
    "state.needs_default",
    "value.exclusive",
}

# Cases and pages with a code of these that no schema can catch → why.
BEYOND = {
    "schema_default_not_in_enum": "a default is compared with the members of the enum beside it",
}

# Codes of which a schema catches a case by the way: case → what it sees.
BY_THE_WAY = {
    "template_in_ref": "braces are no part of a reference",
    "graph_unreachable_is_checked": "the literal of a wait is typed by its field",
}


def faults(text: str) -> list[str]:
    """Where the schema refuses a document, as JSON pointers; None of them for a valid one."""
    root, _ = load(text)
    assert root is not None
    return ["/".join(map(str, ["", *error.absolute_path])) for error in VALIDATOR.iter_errors(plain(root))]


def test_it_is_draft_07() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    newer = ("$defs", "prefixItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "$anchor")
    assert [word for word in newer if f'"{word}"' in schema_text()] == []


def test_the_file_is_current() -> None:
    assert (ROOT / "docs" / "plan.schema.json").read_text(encoding="utf-8") == schema_text(), "run `make golden`"


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_compiles_is_valid(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if has_errors(compile(text).diagnostics):
        pytest.skip("does not compile")
    assert faults(text) == []


def test_most_plans_compile() -> None:
    broken = [path for path in PLANS if has_errors(compile(path.read_text(encoding="utf-8")).diagnostics)]
    assert len(PLANS) > 100 and len(broken) < 5


@pytest.mark.skipif(not CASES, reason="the acceptance cases are not beside this repository")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_cases(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    codes = set(re.findall(r"#! ([a-z_.]+)", text))
    if codes & {"document.syntax"}:
        pytest.skip("no document")
    if not codes:
        assert faults(text) == []
    elif codes & CATCHABLE:
        assert bool(faults(text)) == (case.stem not in BEYOND)
    else:
        assert bool(faults(text)) == (case.stem in BY_THE_WAY)


@pytest.mark.parametrize("code", sorted(CATCHABLE))
def test_each_catchable_code_is_caught(code: str) -> None:
    page = PAGES[code]
    assert code in CODES
    assert faults(page.wrong) and not faults(page.right)


HEAD = (
    "apiVersion: loop.plan/v1\nkind: PlanVersion\ngraph:\n  entry: {nodeId: a, port: in}\n  edges: []\n  nodes:\n    - "
)


@pytest.mark.parametrize(
    ("node", "where"),
    [
        ("{id: a, type: wait, wait: {}}", "/graph/nodes/0/wait"),
        ("{id: a, type: wait, wait: {duration: {value: 5}}}", "/graph/nodes/0/wait/duration/value"),
        ("{id: a, type: wait, wait: {duration: {value: PT1S}, until: {ref: state.x}}}", "/graph/nodes/0/wait"),
        ("{id: a, type: end, end: {outcome: failed}}", "/graph/nodes/0/end"),
        ("{id: a, type: end, end: {outcome: succeeded, code: c}}", "/graph/nodes/0/end"),
        ("{id: a, type: join, join: {fanOut: f, mode: count}}", "/graph/nodes/0/join"),
        ("{id: a, type: join, join: {fanOut: f, count: 2}}", "/graph/nodes/0/join"),
        ("{id: a, type: pass}", "/graph/nodes/0"),
        ("{id: a, type: pass, pass: {}, retry: {}}", "/graph/nodes/0"),
        ("{id: a, type: llm, llm: {prompt: p}}", "/graph/nodes/0"),
        ("{id: a, type: llm, output: {r: {type: string}}, llm: {prompt: p, temperature: 2}}",
         "/graph/nodes/0/llm/temperature"),
        ("{id: a, type: pass, pass: {}, input: {1a: {type: string}}}", "/graph/nodes/0/input"),
        ("{id: a, type: pass, pass: {}, input: {a: {type: string, minimum: 1}}}", "/graph/nodes/0/input/a"),
        ("{id: a, type: fan_out, fanOut: {branches: [item]}}", "/graph/nodes/0/fanOut/branches/0"),
        ("{id: a, type: set_variable, setVariable: {assignments: [{state: s, value: {ref: input.a, default: null}}]}}",
         "/graph/nodes/0/setVariable/assignments/0/value/default"),
    ],
)  # fmt: skip
def test_nodes_are_judged_by_their_type(node: str, where: str) -> None:
    """What the schema refuses, the compiler refuses too, and at this place."""
    text = HEAD + node + "\n"
    assert faults(text) == [where]
    assert compile(text).program is None


@pytest.mark.parametrize("name", ["客户名称", "_", "a1", "é"])
def test_field_names_are_unicode(name: str) -> None:
    assert faults(HEAD + f"{{id: a, type: pass, pass: {{}}, input: {{{name}: {{type: string}}}}}}\n") == []


@pytest.mark.parametrize(
    ("text", "fits"),
    [("PT1S", True), ("P7D", True), ("PT0.5S", False), ("P0DT1M", True), ("P1M", False), ("P", False), ("1s", False)],
)
def test_durations(text: str, fits: bool) -> None:
    assert (faults(f"timeout: {text}\n{HEAD}{{id: a, type: pass, pass: {{}}}}\n") == []) == fits


@pytest.mark.parametrize("name", CATALOG)
def test_each_node_type_is_described_and_has_a_skeleton_that_fits(name: str) -> None:
    node = CATALOG[name]
    rule = next(
        each for each in SCHEMA["definitions"]["node"]["allOf"] if each["if"]["properties"]["type"]["const"] == name
    )
    config = rule["then"]["properties"][node.config_key]
    assert set(config["properties"]) == {one.name for one in node.fields}
    assert all(one["description"] for one in config["properties"].values())
    labels = [snippet["label"] for snippet in SCHEMA["definitions"]["graph"]["properties"]["nodes"]["defaultSnippets"]]
    assert name in labels
    made = filled(node_skeleton(node))
    document = {
        "apiVersion": "loop.plan/v1",
        "kind": "PlanVersion",
        "graph": {"entry": {"nodeId": "id", "port": "in"}, "nodes": [made], "edges": [filled(edge_skeleton())]},
    }
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


def filled(body: Any) -> Any:
    """A snippet's body with its placeholders as they stand; a number or a flag becomes one."""
    text = re.sub(r'"\$\{\d+:(\d+|true)\}"', r"\1", json.dumps(body))
    return json.loads(re.sub(r"\$\{\d+:([^{}]*)\}", r"\1", text))


def test_the_plan_to_begin_with_compiles() -> None:
    assert compile(json.dumps(filled(plan_skeleton()))).diagnostics == ()


def test_everything_is_told_of() -> None:
    assert set(grammar.TYPES) == set(TYPES)
    assert set(grammar.ROOTS) == set(ROOTS)
    assert set(grammar.FUNCTIONS) == set(FUNCTIONS)
    assert set(TARGETS) <= set(grammar.TYPES)
    kinds = SCHEMA["definitions"]["node"]["properties"]["type"]
    assert kinds["enum"] == list(CATALOG) and len(kinds["markdownEnumDescriptions"]) == len(CATALOG)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_name_the_schema_in_their_first_line(path: Path) -> None:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert named is not None
    assert (path.parent / named[1]).resolve() == ROOT / "docs" / "plan.schema.json"


def test_the_command_prints_and_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    assert capsys.readouterr().out == schema_text()
    assert run(["schema", "-o", str(tmp_path / "plan.schema.json")]) == 0
    assert (tmp_path / "plan.schema.json").read_text(encoding="utf-8") == schema_text()
    assert run(["schema", "-o", str(tmp_path / "no" / "where")]) == 2
