"""What the fuzz targets are given: the project's own documents with bites taken out, and texts made of tricks only."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import strategies as st

from loopstep.source.document import plain
from loopstep.source.load import load
from tests.house.modules import ROOT

TRICKS = (
    *"[]{}()\"':,|>#%@`\\&*!?-.~/<=+;$^_09",
    *("\\ud800", "\ud800", "\x00", "\x07", "\ufeff", "\u2028", "\u0085", "😀", "客", "\t", "\n", "\r", "\r\n", " ", ""),
    *(
        "---\n",
        "...",
        "<<: ",
        "&a ",
        "*a ",
        "!!x ",
        "{{",
        "}}",
        "\\{{",
        "{% 1 %}",
        "${X}",
        "$.x",
        "1e999",
        ".nan",
        "null",
    ),
    *(
        "true",
        "plan.input.",
        "state.",
        "loop.parent",
        "items[0]",
        "&&",
        "||",
        "==",
        " in ",
        "length(",
        "`",
        "```\n",
        "# ",
    ),
    *("<b>", "</b>", "<!--", "-->", "&amp;", "<script>", '""', ",,", "|", "\x1b[0m"),
)
PIECES = st.sampled_from(TRICKS) | st.text(st.characters(), max_size=4)

PLANS = [
    path.read_text(encoding="utf-8")
    for path in sorted([*(ROOT / "examples").glob("*.yaml"), *(ROOT / "tests/golden/plans").glob("*.yaml")])
    if path.stat().st_size < 12_000
]
CANVASES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples/canvas").glob("*.json"))]
SKILL = """---
name: triage
description: Sorts what comes in.
inputs:
  - {name: text, type: string, required: true, description: what came in}
  - urgency
outputs: [{name: topic, type: string}]
skills: []
sources: [faq]
tools: [list_files, read_file]
---

# Triage

Read `text`, then say what it is about. Never answer it.
"""
EXPRESSIONS = (
    "plan.input.n >= 200 && !(state.done) || item.name in ['a', \"b\"]",
    "length(input.list) + loop.index * 2 - 1 == items[0].n",
    "contains(state.text, 'x') && startsWith(input.text, plan.name)",
    "present(input.note) && input.note != null",
)
TEMPLATES = ("Hello, {{ plan.input.name }}! \\{{ no }} {{ length(state.text) + 1 }}", "{{'}}'}}{{ input.x }}", "{{ a")


def bitten(texts: list[str] | tuple[str, ...], most: int = 4) -> st.SearchStrategy[str]:
    """One of the texts with up to `most` places where something is cut out, put in or said again."""
    bites = st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 12), PIECES), max_size=most)
    return st.builds(_bitten, st.sampled_from(texts), bites)


def _bitten(text: str, bites: list[tuple[int, int, str]]) -> str:
    for at, length, piece in bites:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + length :]
    return text


def words(most: int = 30) -> st.SearchStrategy[str]:
    """Texts of nothing but pieces."""
    return st.lists(PIECES, max_size=most).map("".join)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**54)
    | st.floats()
    | st.sampled_from(TRICKS)
    | st.sampled_from(["string", "integer", "object", "completed", "in", "say", "done", "PT1S", "plan.input.x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(TRICKS) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def grafted(texts: list[str], most: int = 4) -> st.SearchStrategy[str]:
    """The JSON of one of the documents with values put elsewhere, taken out, or replaced by any other."""
    trees = [plain(root) for root, _ in map(load, texts) if root is not None]
    grafts = st.lists(
        st.tuples(st.integers(0, 10_000), st.sampled_from("rdcm"), JSON, st.integers(0, 10_000)), max_size=most
    )
    return st.builds(_grafted, st.sampled_from(trees), grafts)


def _grafted(tree: Any, grafts: list[tuple[int, str, Any, int]]) -> str:
    tree = {"root": copy.deepcopy(tree)}
    for number, what, value, other in grafts:
        slots = list(_slots(tree))
        if not slots:
            break
        holder, key = slots[number % len(slots)]
        if what == "d":
            del holder[key]
        elif what == "r" or (what == "m" and isinstance(holder, list)):
            holder[key] = value
        elif what == "m":
            holder[str(value)[:40] if not isinstance(value, (dict, list)) else "x"] = holder.pop(key)
        else:
            there, its = slots[other % len(slots)]
            holder[key] = copy.deepcopy(there[its])
    return json.dumps(tree.get("root"), ensure_ascii=len(grafts) % 2 == 0)


def _slots(tree: Any) -> list[tuple[Any, Any]]:
    found, waiting = [], [tree]
    while waiting:
        holder = waiting.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return found
