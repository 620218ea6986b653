"""The registry of codes is LANGUAGE §10, every code is reported somewhere, and its page shows it."""

from __future__ import annotations

import ast
import re

import pytest

from loopstep.compiler.compile import compile
from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.pages import PAGES
from tests.house.modules import modules

LANGUAGE = re.findall(
    r"[a-z_.]+",
    """
    document.syntax document.duplicate_key document.unknown_field document.missing_field document.invalid_value
    document.version document.too_large schema.invalid schema.default_mismatch
    reference.unknown_root reference.unavailable reference.unknown_field reference.optional
    expr.syntax expr.type_mismatch expr.not_boolean template.syntax template.optional_reference
    value.exclusive binding.required_target binding.unknown_target binding.type_mismatch binding.optional_source
    convert.unsupported
    state.undeclared state.duplicate_assignment state.parallel_conflict state.needs_default
    graph.unknown_node graph.unknown_port graph.duplicate_id graph.unwired_port graph.unreachable
    graph.cycle_without_loop graph.join_unpaired graph.region_escape graph.end_in_region edge.ambiguous
    edge.no_default output.missing
    registry.unknown
    canvas.variable_shadowed canvas.unknown_variable canvas.invalid_name canvas.cycle canvas.no_start
    canvas.unknown_node
    limit.definition_size limit.state_size limit.nodes limit.depth limit.history
    """,
)

WARNINGS = {
    "template.optional_reference", "graph.unreachable", "edge.no_default",
    "canvas.variable_shadowed", "canvas.unknown_variable", "limit.history",
}  # fmt: skip

# Codes that nothing reports yet. Reporting one means taking it out here.
RESERVED: set[str] = set()

# Faults that no small document can show, so their pages have no example.
WITHOUT_EXAMPLE = {
    "document.too_large", "limit.definition_size", "limit.state_size", "limit.nodes", "limit.history",
    "registry.unknown",
}  # fmt: skip

# Faults that bring another diagnostic along by their nature: code → the other.
COMPANIONS = {"graph.unwired_port": {"graph.unreachable"}}


def test_the_registry_is_the_languages() -> None:
    assert len(LANGUAGE) == len(set(LANGUAGE))
    assert sorted(CODES) == sorted(LANGUAGE)
    assert sorted(PAGES) == sorted(CODES)


def test_warnings_are_the_listed_ones() -> None:
    assert {code.name for code in CODES.values() if code.severity == "warning"} == WARNINGS


# Run-time codes (LANGUAGE §9) whose first word is also a diagnostic's.
AT_RUN_TIME = {"expr.range", "value.too_large", "edge.none_matched", "binding.no_value", "output.contract"}


def texts(*left_out: str) -> set[str]:
    """All string literals of the packages that report diagnostics."""
    packages = {"source", "diagnostics", "expressions", "nodes", "compiler", "canvas"}
    return {
        node.value
        for module in modules()
        if module.package in packages and module.name.rpartition(".")[2] not in left_out
        for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_every_code_is_reported_or_reserved() -> None:
    """By its literal; those of `expressions.scope` by the part behind `"reference."`."""
    written = texts("codes", "pages")
    parts = {f"reference.{text}" for text in written} if "reference." in written else set()
    assert {code for code in CODES if code not in written | parts} == RESERVED


def test_no_other_code_is_reported() -> None:
    groups = "|".join({code.partition(".")[0] for code in CODES})
    codes = {text for text in texts() if re.fullmatch(rf"({groups})\.[a-z_]+", text)}
    assert codes - set(CODES) <= AT_RUN_TIME


@pytest.mark.parametrize("code", CODES)
def test_its_texts_are_sentences(code: str) -> None:
    assert not CODES[code].title.endswith(".")
    assert PAGES[code].why.endswith(".")
    assert (code in WITHOUT_EXAMPLE) == (not PAGES[code].wrong)


@pytest.mark.parametrize("code", [code for code, page in PAGES.items() if page.wrong and page.form == "plan"])
def test_the_wrong_example_shows_it_and_the_right_one_nothing(code: str) -> None:
    page = PAGES[code]
    wrong = compile(page.wrong).diagnostics
    assert {each.code for each in wrong} - COMPANIONS.get(code, set()) == {code}
    assert {each.severity for each in wrong if each.code == code} == {CODES[code].severity}
    assert [each.to_json() for each in compile(page.right).diagnostics] == []
    assert "\t" not in page.right
