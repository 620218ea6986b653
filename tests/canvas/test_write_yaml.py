"""What is written is read back as the same data, and looks as a person would write it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopstep.canvas import write_yaml
from loopstep.canvas.write_yaml import document_text
from loopstep.source.document import plain
from loopstep.source.load import load

LINES = ["a", "b: c", " x", "", "#", "- d", "'", '"', "\t", "yes", "{", "é", "\u2028", "。"]
WORDS = ["yes", "null", "~", "1", "-", ".inf", "1e3", "a #b", "a: b", "=", "<<", "", "\ufeff", "\x85", "😀\n😀"]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.lists(st.sampled_from(LINES), max_size=9).map("\n".join),
    st.sampled_from(WORDS),
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=5)),
    max_leaves=30,
)


@given(st.dictionaries(st.one_of(st.sampled_from(["input", "graph", "nodes"]), TEXTS), DATA, min_size=1))
def test_it_is_read_back(data: dict[str, Any]) -> None:
    root, faults = load(document_text(data))
    assert root is not None and faults == []
    assert plain(root) == data


def test_it_looks_well() -> None:
    data = {
        "input": {"q": {"type": "string"}},
        "graph": {
            "nodes": [
                {"id": "a", "llm": {"system": "Be kind.\nBe brief.\n", "prompt": "{{ input.q }}: now"}},
                {"id": "b", "pass": {}},
            ]
        },
    }
    assert document_text(data) == (
        "input:\n  q: {type: string}\ngraph:\n  nodes:\n    - id: a\n"
        "      llm:\n        system: |\n          Be kind.\n"
        '          Be brief.\n        prompt: "{{ input.q }}: now"\n    - {id: b, pass: {}}\n'
    )


def test_what_would_be_too_large_is_written_densely() -> None:
    fields = {f"v{i}": {"ref": f"state.v{i}"} for i in range(300)}
    data = {"graph": {"edges": [{"id": f"e{i}", "bindings": fields} for i in range(130)]}}
    text = document_text(data)
    assert write_yaml.DOCUMENT_BYTES * 0.8 < len(text) < write_yaml.DOCUMENT_BYTES
    root, faults = load(text)
    assert root is not None and faults == [] and plain(root) == data
