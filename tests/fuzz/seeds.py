"""What fuzz targets begin with, and how it is spoiled: the own documents, pieces to put in, grafts on trees."""

from __future__ import annotations

import copy
import json
from typing import Any

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

ROWS = ['a,b\n1,2\n"x""y",\n', '{"a": 1, "b": [true, null]}\n{"a": "x"}\n', "subject,predicate,object\na,knows,b\n"]
PAGES = [
    "# T\n\ntext `x`\n\n## U\n\n- a\n- b\n\n```\ncode\n```\n",
    "<h1>T</h1><p>a &amp; b<ul><li>x</ul><!-- c --><script>1</script>",
]


def trees(texts: list[str]) -> list[Any]:
    """The JSON data of those that have any."""
    return [plain(root) for root, _ in map(load, texts) if root is not None]


def bite(text: str, bites: list[tuple[int, int, str]]) -> str:
    """The text with something cut out or put in at each place."""
    for at, length, piece in bites:
        at %= len(text) + 1
        text = text[:at] + piece + text[at + length :]
    return text


def graft(tree: Any, grafts: list[tuple[int, str, Any, int]]) -> str:
    """The JSON of a tree with values replaced, deleted, moved, or copied from elsewhere in it."""
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
