"""Every run-time code of LANGUAGE §9 has its entry, and every code that the runtime names is one of them."""

from __future__ import annotations

import ast
import re

from loopstep.runtime import failures
from loopstep.runtime.error_pages import ERROR_PAGES, INTERNAL
from loopstep.services.problem_pages import PROBLEM_PAGES
from tests.house.modules import modules

LANGUAGE = [
    "input.contract",
    "output.contract",
    "state.contract",
    "binding.no_value",
    "precondition.missing",
    "precondition.type",
    "expr.range",
    "edge.none_matched",
    "node.timeout",
    "node.crashed",
    "fan_out.too_many",
    "join.no_winner",
    "wait.invalid",
    "scope.unknown",
    "value.too_large",
    "llm.unstructured",
    "condition.undecided",
    "model.refused",
    "model.unavailable",
    "agent.limit",
    "source.unavailable",
    "run.timeout",
    "run.cancelled",
]

# What the language leaves open: a registered scope's limits (CANVAS §3) need a code.
OURS = ["scope.limit"]

# No run fails with it, but activations show it.
SHOWN = ["join.decided"]


def test_the_registry_is_the_languages() -> None:
    assert sorted(ERROR_PAGES) == sorted([*LANGUAGE, *OURS, *SHOWN])


def test_every_constant_is_a_code_of_it() -> None:
    named = {value for name, value in vars(failures).items() if name.isupper() and isinstance(value, str)}
    assert named <= {*LANGUAGE, *OURS, *INTERNAL}
    assert set(LANGUAGE) >= failures.RETRYABLE


def test_nothing_fails_with_another_code() -> None:
    """By the literals of the packages that end activations and runs."""
    groups = "|".join({code.partition(".")[0] for code in LANGUAGE})
    written = {
        node.value
        for module in modules()
        if module.package in ("runtime", "runs")
        for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    codes = {text for text in written if re.fullmatch(rf"({groups})\.[a-z_]+", text)}
    assert codes <= {*LANGUAGE, *OURS, *INTERNAL}


def test_its_texts_are_sentences() -> None:
    for page in (*ERROR_PAGES.values(), *PROBLEM_PAGES.values()):
        assert not page.title.endswith(".")
        assert page.why.endswith(".") and page.what_to_do.endswith(".")


def test_codes_of_access_and_repetition_have_pages() -> None:
    """Those that the services and the API of these can answer, by their literals."""
    written = {
        node.value
        for module in modules()
        if module.package in ("api", "services") and not module.name.endswith("problem_pages")
        for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert {text for text in written if re.fullmatch(r"(access|key|idempotency)\.[a-z_]+", text)} == set(PROBLEM_PAGES)
