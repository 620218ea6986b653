"""Literals of a document as plain JSON data (LANGUAGE §3, §4)."""

from __future__ import annotations

from typing import Any

from loopstep.compiler.read import INVALID, refusal
from loopstep.diagnostics.collector import Reporter
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types.text import is_number


def literal(value: Value, report: Reporter, code: str = INVALID) -> tuple[Any, bool]:
    """(plain data, whether every number in it is one of the language); the others are reported where they stand."""
    if isinstance(value, Scalar):
        plain = value.value
        if isinstance(plain, (int, float)) and not isinstance(plain, bool) and not is_number(plain):
            hint = "write it as a text" if isinstance(plain, int) else ""
            report.error(code, f"the number is {refusal(plain)}", value, hint)
            return None, False
        return plain, True
    if isinstance(value, Mapping):
        pairs = {name: literal(entry, report, code) for name, entry in value.entries.items()}
        return {name: plain for name, (plain, _) in pairs.items()}, all(sound for _, sound in pairs.values())
    assert isinstance(value, Sequence)
    found = [literal(item, report, code) for item in value.items]
    return [plain for plain, _ in found], all(sound for _, sound in found)
