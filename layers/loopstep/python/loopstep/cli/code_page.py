"""What a diagnostic code means: the rule, why it stands, a wrong and a right example."""

from __future__ import annotations

from typing import Any

from loopstep.diagnostics.codes import CODES


def page(name: str) -> str:
    """For people."""
    code, told = CODES[name], page_json(name)
    lines = [f"{code.name} ({code.severity})", f"{code.title}.", "", told["why"]]
    for title in ("wrong", "right"):  # a few rules, such as sizes, have no example that could be shown
        if told[title]:
            lines += ["", f"{title.capitalize()}:", *_indented(told[title])]
    return "\n".join(lines)


def page_json(name: str) -> dict[str, Any]:
    """The same as data."""
    code = CODES[name]
    told = code.page
    return {
        "code": code.name,
        "severity": code.severity,
        "title": code.title,
        "why": told.why,
        "wrong": told.wrong,
        "right": told.right,
    }


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.strip("\n").split("\n")]
