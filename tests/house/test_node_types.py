"""Catalog, functions, template and docs name the same node types, and the type of a node is compared in nodes/ only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

from docs.generate import pages
from loopstep.compiler.compile import compile
from loopstep.nodes.catalog import CATALOG
from tests.house.modules import ROOT, SOURCE, modules
from tests.registered import EVERYTHING

PACKAGE = SOURCE / "loopstep"
NODES = set(CATALOG)

# The functions that are no node type's.
SERVICES = {"api", "authorize", "compile_plan", "start_run", "close_run", "sweep", "trigger"}

TEMPLATE = (ROOT / "template.yaml").read_text(encoding="utf-8")


class _Loader(yaml.SafeLoader):
    """Reads `!Ref X` and the like as what they hold."""


_Loader.add_multi_constructor(
    "!", lambda loader, tag, node: loader.construct_yaml_str(node) if isinstance(node, yaml.ScalarNode) else None
)
RESOURCES = yaml.load(TEMPLATE, _Loader)["Resources"]


def pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def test_every_function_is_a_node_type_or_a_service() -> None:
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}
    assert folders == NODES | SERVICES


def test_one_file_a_node_type() -> None:
    nodes = ROOT / "layers/loopstep/python/loopstep/nodes"
    files = {"pass_node" if name == "pass" else name for name in CATALOG}  # `pass` is a word of Python
    assert {path.stem for path in nodes.glob("*.py")} >= files


def test_the_template_has_a_function_and_a_log_group_for_each() -> None:
    functions = {
        name.removesuffix("Function") for name, each in RESOURCES.items() if each["Type"] == "AWS::Serverless::Function"
    }
    assert {pascal(name) for name in NODES} <= functions
    for name in NODES:
        function = RESOURCES[f"{pascal(name)}Function"]["Properties"]
        assert function["CodeUri"] == f"functions/{name}"
        assert function["FunctionName"].endswith(f"-{name}"), "compile_plan finds a node's function by this name"
        assert f"{pascal(name)}Logs" in RESOURCES


def test_the_machines_may_invoke_exactly_these() -> None:
    statement = TEMPLATE.partition("Sid: InvokeNodes")[2].partition("\n\n")[0]
    assert set(re.findall(r"\$\{(\w+)Function\.Arn\}:live", statement)) == {*map(pascal, NODES), "CloseRun"}


@pytest.mark.parametrize("name", CATALOG)
def test_the_docs_tell_of_each(name: str) -> None:
    assert CATALOG[name].summary in pages()[ROOT / "docs" / "nodes" / f"{name}.md"]
    assert f"`{name}`" in (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CATALOG)
def test_the_example_is_one_of_its_type(name: str) -> None:
    document = (ROOT / "docs" / "nodes" / "examples" / f"{name}.yaml").read_bytes()
    assert [each.to_json() for each in compile(document, None, EVERYTHING).diagnostics] == []
    assert any(node["type"] == name for node in yaml.safe_load(document)["graph"]["nodes"])


def test_examples_are_of_node_types() -> None:
    examples = [path.stem for path in (ROOT / "docs" / "nodes" / "examples").iterdir()]
    assert set(CATALOG) <= set(examples)
    assert {stem.partition(".")[0] for stem in examples} == set(CATALOG)


_TYPE_OF_A_NODE = re.compile(r"\b(node|step|named|join|fan_out)\.type(\.name)?$|\bnode_type(\.name)?$")

# Comparisons that may stand: file → the reason.
ALLOWED_COMPARISONS = {
    "convert/fields.py": "a table of kinds by node type and field; convert stands below nodes (CANVAS §4)",
}


def test_no_one_else_compares_the_type_of_a_node() -> None:
    """No `node.type == …`, `step.type in …`, `node.type.name == …`, nor any type compared with a node type's name."""
    found = {
        f"{module.path.relative_to(PACKAGE)}:{line}"
        for module in modules()
        if module.package not in ("nodes", "functions")
        for line in _comparisons(module.path)
    }
    assert {place for place in found if place.partition(":")[0] not in ALLOWED_COMPARISONS} == set()
    assert {place.partition(":")[0] for place in found} >= set(ALLOWED_COMPARISONS)


def _comparisons(path: Path) -> list[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Compare) and _is_of_type(node)]


def _is_of_type(node: ast.Compare) -> bool:
    texts = [ast.unparse(side) for side in (node.left, *node.comparators)]
    if "None" in texts:
        return False
    if any(_TYPE_OF_A_NODE.search(text) for text in texts):
        return True
    names = [f"'{name}'" for name in CATALOG]
    return any("type" in text for text in texts) and any(name in text for text in texts for name in names)


def test_a_comparison_is_seen(tmp_path: Path) -> None:
    """The test itself."""
    path = tmp_path / "check.py"
    path.write_text(
        "if node.type.name == 'end': pass\n"
        "if step.type in ('loop', 'end'): pass\n"
        "if node.type is None: pass\n"
        "if schema.type == 'string': pass\n"
        "if kind == 'loop' or role == LOOP: pass\n"
        "if each['type'] != 'send_message': pass\n"
    )
    assert _comparisons(path) == [1, 2, 6]


def test_the_front_page_names_all_types() -> None:
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    told = page.partition("## What this version runs")[2].partition("\n#")[0]
    assert set(re.findall(r"`(\w+)`", told)) == NODES
