"""Where a cursor stands, in whole and in half written documents."""

from __future__ import annotations

import random

import pytest

from loopstep.editor.analysis import steps_of
from loopstep.editor.cursor import KEY, VALUE, Cursor, find, lines_of
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.source.load import load
from tests.house.modules import ROOT

Steps = tuple[str | int, ...]

CASES: list[tuple[str, Steps, str, str]] = [
    ("‸", (), KEY, ""),
    ("ap‸", (), KEY, "ap"),
    ("a: 1\ngraph:\n  ‸", ("graph",), KEY, ""),
    ("a: 1\ngraph:\n  no‸\nb: 2", ("graph",), KEY, "no"),
    ("graph:\n  nodes:\n    - id: a\n      type: ‸", ("graph", "nodes", 0, "type"), VALUE, ""),
    ("graph:\n  nodes:\n    - id: a\n      type: x\n      ‸", ("graph", "nodes", 0), KEY, ""),
    ("graph:\n  nodes:\n    - {id: a, type: wa‸", ("graph", "nodes", 0, "type"), VALUE, "wa"),
    ("graph:\n  nodes:\n    - {id: a, ty‸", ("graph", "nodes", 0), KEY, "ty"),
    ("graph:\n  nodes:\n    - {id: a, type: x, ‸}", ("graph", "nodes", 0), KEY, ""),
    ("e:\n  - id: a\n  - id: b\n    bindings:\n      x: {ref: st‸", ("e", 1, "bindings", "x", "ref"), VALUE, "st"),
    ("e:\n- id: a\n- id: b\n  when: x‸", ("e", 1, "when"), VALUE, "x"),
    ("e:\n  - id: a\n  - ‸", ("e", 1), KEY, ""),
    ("e:\n  - id: a\n  - i‸", ("e", 1), KEY, "i"),
    ("e:\n  - - a\n    - ‸", ("e", 0, 1), KEY, ""),
    ('t: "hi {{ input.‸', ("t",), VALUE, "hi {{ input."),
    ("t: 'it''s {{ ‸ }}'", ("t",), VALUE, "it''s {{ "),
    ("t:\n  a: |\n    one\n    {{ inp‸\n  b: 1", ("t", "a"), VALUE, "    {{ inp"),
    ("t:\n  a: >-\n    one: two\n  b: ‸", ("t", "b"), VALUE, ""),
    ('{"a": {"b": [{"c": "x, y", "d": "wa‸"}]}}', ("a", "b", 0, "d"), VALUE, "wa"),
    ('{"a": {"b": [1, {"ty‸"}]}}', ("a", "b", 1), KEY, "ty"),
    ('{"a": {"b": ‸}}', ("a", "b"), VALUE, ""),
    ("x: {a: p,\n    b: {c: ‸}}\ny: 1", ("x", "b", "c"), VALUE, ""),
    ("e:\n  - {id: a, s: {n: x,\n  - {id: b, when: inp‸}", ("e", 1, "when"), VALUE, "inp"),  # an open bracket before
    ('e: "open\nf: ‸', ("f",), VALUE, ""),  # an open quote before
    ('w: input.x == "a" && st‸ # c', ("w",), VALUE, 'input.x == "a" && st'),
    ("a: [x, y‸]", ("a", 1), VALUE, "y"),
    ("\ta: {b: ‸", ("a", "b"), VALUE, ""),
    ("a:\n  # a comment: no name\n  b: ‸", ("a", "b"), VALUE, ""),
    ("---\na: ‸", ("a",), VALUE, ""),
    ("a:\r\n  b: ‸\r\n", ("a", "b"), VALUE, ""),
    ("客户:\n  名称: 值‸", ("客户", "名称"), VALUE, "值"),
]


def at(text: str) -> Cursor:
    before, _, after = text.partition("‸")
    lines = lines_of(before)
    return find(lines_of(before + after), len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize(("text", "steps", "slot", "written"), CASES, ids=[repr(case[0])[-40:] for case in CASES])
def test_place(text: str, steps: Steps, slot: str, written: str) -> None:
    found = at(text)
    assert (found.steps, found.slot, found.written) == (steps, slot, written)


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("type: st‸ring # c", "string"),
        ('a: "st‸ring"', "string"),
        ("a: {type: st‸ring, b: 1}", "string"),
        ('{"type": "st‸ring"}', "string"),
        ("na‸me: x", "name"),
        ("a: {na‸me: x}", "name"),
        ("a: ‸", ""),
    ],
)
def test_what_a_completion_replaces(text: str, replaced: str) -> None:
    found = at(text)
    assert text.replace("‸", "")[found.start - 1 : found.end - 1] == replaced


def every(value: Value) -> list[Scalar]:
    if isinstance(value, Mapping):
        return [one for inner in value.entries.values() for one in every(inner)]
    if isinstance(value, Sequence):
        return [one for inner in value.items for one in every(inner)]
    return [value] if isinstance(value, Scalar) else []


@pytest.mark.parametrize(
    "path",
    sorted([*(ROOT / "tests/golden/plans").glob("*.yaml"), *(ROOT / "examples").rglob("*.json")]),
    ids=lambda path: path.stem,
)
def test_every_value_of_a_document_is_found_where_its_tree_has_it(path: object) -> None:
    """The text alone says the same as the tree, for each value that stands on one line."""
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    root, _ = load(text)
    assert root is not None
    lines = lines_of(text)
    some = every(root)
    for value in random.Random(1).sample(some, min(150, len(some))):
        line, column = value.text.position(value.end - (1 if value.raw[:1] in ("'", '"') else 0))
        if "\n" not in value.raw:
            assert find(lines, line, column).steps == steps_of(value), value.raw


HUGE = [
    *("{" * 100_000, "- " * 100_000, "a: {" * 50_000, " " * 1_000_000, "a " * 400_000, '"' * 300_000),
    *("x: '" + "y " * 300_000, "{a: " + " " * 500_000, "\n" * 300_000, "a:\n" * 200_000, "[" + "a, " * 200_000),
    *("\0" * 100_000, "{" + '"a": 1, ' * 90_000),
]


@pytest.mark.parametrize("text", HUGE, ids=lambda text: repr(text[:6]))
def test_hostile_texts_end(text: str) -> None:
    """A search that is not linear would not end within the suite's patience."""
    lines = lines_of(text)
    for line, column in ((len(lines), len(lines[-1]) + 1), (1, 5), (0, -3), (10**9, 10**9)):
        found = find(lines, line, column)
        assert 1 <= found.line <= len(lines) and 1 <= found.start <= found.end
