"""Plans with their diagnostics on the offending line: `#! code` an error, `#? code` a warning, `@any` any line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from loopstep.compiler.compile import compile

_MARK = re.compile(r"#([!?]) ([a-z_]+\.[a-z_]+)( @any)?")
_HEAD = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"

Faults = Callable[..., list[str]]


@pytest.fixture
def faults() -> Faults:
    """A function of a plan's parts: how its diagnostics, warnings too, differ from its marks."""
    return _faults


@pytest.fixture
def document() -> Callable[..., str]:
    """A function of a plan's parts, each without the lines that every plan begins with."""
    return _document


def _document(*parts: str) -> str:
    return _HEAD + "".join(part.strip("\n") + "\n" for part in parts)


def _faults(*parts: str, whole: bool = False) -> list[str]:
    text = parts[0] if whole else _document(*parts)
    left = list(compile(text).diagnostics)
    wrong = []
    for severity, code, line in sorted(_expected(text), key=lambda mark: mark[2] is None):
        fitting = (d for d in left if d.code == code and d.severity == severity and line in (None, d.line))
        hit = next(fitting, None)
        if hit is None:
            wrong.append(f"no {severity} {code}" + (f" on line {line}" if line else ""))
        else:
            left.remove(hit)
    return wrong + [f"unexpected {d.severity} {d.code} on line {d.line}: {d.message}" for d in left]


def _expected(text: str) -> list[tuple[str, str, int | None]]:
    return [
        ("error" if mark[1] == "!" else "warning", mark[2], None if mark[3] else number)
        for number, line in enumerate(text.split("\n"), 1)
        for mark in _MARK.finditer(line)
    ]
