"""Workflow commands of GitHub Actions: one line each, nothing in a text that the runner would take for another."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.diagnostics.github import github

FAULT = Diagnostic("schema.invalid", "error", "no such type", "/a/b", 2, 3, 2, 6, "try integer")
LONG = Diagnostic("edge.no_default", "warning", "no default", "", 1, 1, 4, 2)


def unescaped(text: str) -> str:
    """As the runner reads it (actions/runner, ActionCommand)."""
    for mark, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(mark, character)
    return text


def test_one_line_each() -> None:
    assert github({"plans/a.yaml": [FAULT, LONG], "b.yaml": []}) == (
        "::error file=plans/a.yaml,line=2,endLine=2,col=3,endColumn=6,title=schema.invalid::"
        "no such type (try integer)\n"
        "::warning file=plans/a.yaml,line=1,endLine=4,col=1,title=edge.no_default::no default\n"
    )
    assert github({}) == ""


@pytest.mark.parametrize("text", ["a\n::error::b", "100%\r\n", "%0A", "a::b,c=d"])
def test_a_text_stays_in_its_line(text: str) -> None:
    (line,) = github({"a,b:c%.yaml": [FAULT._replace(message=text, hint="")]}).splitlines()
    head, message = line[2:].split("::", 1)
    assert unescaped(message) == text
    assert unescaped(head.split("file=")[1].split(",line=")[0]) == "a,b:c%.yaml"


def test_nothing_steers_the_log() -> None:
    assert "::a\\u{1b}[2J\n" in github({"a": [FAULT._replace(message="a\x1b[2J", hint="")]})


SEEN = st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]) | st.sampled_from("\r\n")


@given(st.text(SEEN, max_size=30), st.text(max_size=20))
def test_whatever_the_text(message: str, file: str) -> None:
    printed = github({file: [FAULT._replace(message=message, hint="")]})
    assert printed.endswith("\n") and not re.search("[\r\n]", printed[:-1])
    head, said = printed[2:-1].split("::", 1)
    assert "," not in head.split("file=")[1].split(",line=")[0]
    assert unescaped(said) == message
