"""Diagnostics as workflow commands of GitHub Actions, which become annotations at their lines.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.diagnostics.visible import visible

_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY: Final = {**_DATA, ":": "%3A", ",": "%2C"}


def github(found: Mapping[str, Iterable[Diagnostic]]) -> str:
    """One line a diagnostic, `::error file=…,line=…,col=…,endLine=…,title=CODE::message`; "" for none.

    `endColumn` stands only where the span is in one line: GitHub takes it for that case alone.
    """
    return "".join(f"{_line(file, each)}\n" for file, diagnostics in found.items() for each in diagnostics)


def _line(file: str, given: Diagnostic) -> str:
    place = {"file": file, "line": given.line, "endLine": given.end_line, "col": given.column}
    if given.line == given.end_line:
        place["endColumn"] = given.end_column
    place["title"] = given.code
    properties = ",".join(f"{name}={_escaped(str(value), _PROPERTY)}" for name, value in place.items())
    message = f"{given.message} ({given.hint})" if given.hint else given.message
    return f"::{given.severity} {properties}::{_escaped(message, _DATA)}"


def _escaped(text: str, marks: Mapping[str, str]) -> str:
    """With nothing that ends the line or the field, or that steers a terminal that shows the log."""
    return "".join(marks.get(character) or visible(character) for character in text)
