"""What converts to what, and that nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.convert.by_kind import BY_KIND
from loopstep.convert.by_value import BY_VALUE
from loopstep.convert.fields import kind_of_field
from loopstep.convert.jsonl import lines
from loopstep.convert.registry import KINDS, TARGETS, convert, convertible, entry, fit, supported

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
REASONS = {None, "not_a_number", "unsupported", "absent", "not_json", "unsafe_path", "wrong_form"}


@settings(max_examples=300, deadline=None)
@given(JSON, st.sampled_from(KINDS), st.sampled_from(TARGETS), st.sampled_from([None, "top1", "concat", "json", "x"]))
def test_never_raises(value: Any, kind: str, to: str, mode: str | None) -> None:
    result, reason = convert(value, kind, to, mode, 1)
    assert reason in REASONS
    assert reason is None or result is None


@settings(max_examples=200, deadline=None)
@given(st.text() | st.from_regex(r"[\[{`\"0-9a-z,:}\]\s.+-]{0,20}"), st.sampled_from(KINDS), st.sampled_from(TARGETS))
def test_never_raises_for_texts(text: str, kind: str, to: str) -> None:
    _, reason = convert(text, kind, to)
    assert reason in REASONS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", TARGETS)
def test_deep_and_large_values(kind: str, to: str) -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for value in (
        deep,
        {"content": deep},
        "[" * 100_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        10**5000,
        "9" * 10_000,
    ):
        assert convert(value, kind, to)[1] in REASONS


@pytest.mark.parametrize(
    ("source", "to", "yes"),
    [
        ("string", "number", True),
        ("integer", "string", True),
        ("number", "filePath", False),
        ("boolean", "directoryPath", False),
        ("object", "filePath", False),
        ("array", "filePath", False),
        ("string", "scope", False),
        ("scope", "string", True),
        ("any", "filePath", True),
        ("any", "scope", False),
        ("unknown", "string", True),
    ],
)
def test_convertible_values(source: str, to: str, yes: bool) -> None:
    assert convertible(source, "value", to) is yes


def test_convertible_kinds() -> None:
    assert supported("evidences", "string", "concat")
    assert not supported("evidences", "string", "all")
    assert not supported("evidences", "filePath")
    assert not supported("value", "string", "top1")
    assert supported("evidences", "array", top_k=3)
    assert not supported("evidences", "string", top_k=3)
    assert not supported("nothing", "string")


def test_every_entry_speaks() -> None:
    for found in (*BY_VALUE.values(), *BY_KIND.values()):
        assert found.sentence
        assert found.loss in ("exact", "lossy", "may fail")
    assert {kind for kind, _ in BY_KIND} == set(KINDS) - {"value"}


def test_entry_for_any_decides_at_run_time() -> None:
    found = entry("value", "string")
    assert found is not None
    assert found.function(3, "", None) == "3"


@pytest.mark.parametrize(
    ("kind", "source", "to", "how"),
    [
        ("text", "string", "string", "exact"),
        ("value", "number", "string", "implicit"),
        ("evidences", "array", "object", "implicit"),
        ("evidences", "array", "string", "converted"),
        ("evidences", "array", "filePath", "incompatible"),
        ("workingDirFiles", "array", "filePath", "converted"),
        ("value", "boolean", "filePath", "incompatible"),
    ],
)
def test_fit(kind: str, source: str, to: str, how: str) -> None:
    assert fit(kind, source, to) == how


def test_kind_of_field() -> None:
    assert kind_of_field("llm", "answer") == "text"
    assert kind_of_field("llm", "answer", 2) == "structured"
    assert kind_of_field("smart_action", "result") == "text"
    assert kind_of_field("knowledge_retrieval", "evidences") == "evidences"
    assert kind_of_field("knowledgeRetrieval", "diagnostics") == "diagnostics"
    assert kind_of_field("list_files", "files") == "workingDirFiles"
    assert kind_of_field("join", "files") == "value"


def test_jsonl() -> None:
    asked = [
        '{"kind":"text","to":"number","value":"7 of 9"}',
        "",
        "{",
        '{"to":"scope","value":1}',
        '{"value":"\\ud800","to":"any"}',
    ]
    answers = [json.loads(line) for line in lines(asked)]
    assert answers == [
        {"value": 7, "reason": None},
        {"value": None, "reason": "not_json"},
        {"value": None, "reason": "unsupported"},
        {"value": "\ud800", "reason": None},
    ]
