"""What the front half of `expressions` reports: data with offsets, never an exception."""

from __future__ import annotations

from typing import NamedTuple


class ExprFault(NamedTuple):
    """A fault or warning of LANGUAGE §10 inside a text; `start`/`end` are code point offsets, `end` exclusive."""

    code: str
    message: str
    start: int
    end: int
    hint: str = ""


WARNING = "template.optional_reference"  # the one code here that is a warning
