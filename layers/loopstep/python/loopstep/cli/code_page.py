"""What a code means: of a diagnostic the rule, why it stands, examples; of a failed run the reason, and what to do."""

from __future__ import annotations

from typing import Any

from loopstep.diagnostics.codes import CODES
from loopstep.runtime.error_pages import ERROR_PAGES
from loopstep.services.problem_pages import PROBLEM_PAGES

KNOWN = (*CODES, *ERROR_PAGES, *PROBLEM_PAGES)


def page(name: str) -> str:
    """For people. Raises KeyError for a code that is not KNOWN."""
    told = page_json(name)
    lines = [f"{name} ({told['severity']})", f"{told['title']}.", "", told["why"]]
    if name in ERROR_PAGES or name in PROBLEM_PAGES:
        lines += ["", told["whatToDo"]]
    for title in ("wrong", "right"):  # a few rules, such as sizes, have no example that could be shown
        if told.get(title):
            lines += ["", f"{title.capitalize()}:", *_indented(told[title])]
    return "\n".join(lines)


def page_json(name: str) -> dict[str, Any]:
    """The same as data: `{code, severity, title, why, wrong, right}`; of runs and the API `whatToDo` instead."""
    error = ERROR_PAGES.get(name) or PROBLEM_PAGES.get(name)
    if error is not None:
        about = {"severity": "run time" if name in ERROR_PAGES else "API", "title": error.title, "why": error.why}
        return {"code": name, **about, "whatToDo": error.what_to_do}
    code = CODES[name]
    told = code.page
    about = {"severity": code.severity, "title": code.title, "why": told.why}
    return {"code": name, **about, "wrong": told.wrong, "right": told.right}


def _indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.strip("\n").split("\n")]
