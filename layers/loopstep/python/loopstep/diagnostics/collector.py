"""Collects what the phases report: each fault once, in document order, the same every time (LANGUAGE §10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from loopstep.diagnostics.diagnostic import ERROR, WARNING, Diagnostic, Related
from loopstep.source.document import Fault, Place, Span, Value

At = Value | Place | Span  # where something is reported; a bare Span has the pointer ""

ROOM: Final = 1_000_000  # characters that all diagnostics of a document may have; an answer of Lambda's has 6 MB
_EACH: Final = 150  # characters of a diagnostic beside its texts


class Reporter:
    """Takes reports in any order. A report equal to an earlier one in code, severity, place and message is dropped.

    When there is no ROOM any more, further reports only make the document one with errors.
    """

    __slots__ = ("_failed", "_found", "_room")

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str, Place], Diagnostic] = {}
        self._failed = False
        self._room = ROOM

    def error(self, code: str, message: str, at: At, hint: str = "", related: Iterable[Related] = ()) -> None:
        self._failed = True
        if self._room > 0:
            self._add(code, ERROR, message, _place(at), hint, tuple(related))

    def warning(self, code: str, message: str, at: At, hint: str = "", related: Iterable[Related] = ()) -> None:
        if self._room > 0:
            self._add(code, WARNING, message, _place(at), hint, tuple(related))

    def fault(self, fault: Fault) -> None:
        """Takes over what `source.load` found."""
        self.error(fault.code, fault.message, Place(fault.span, fault.pointer), fault.hint)

    @property
    def full(self) -> bool:
        """Whether nothing more is taken."""
        return self._room <= 0

    @property
    def has_errors(self) -> bool:
        return self._failed

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All diagnostics by line and column; at one place errors first, then in the order they were reported."""
        return tuple(sorted(self._found.values(), key=_order))

    def _add(
        self, code: str, severity: str, message: str, place: Place, hint: str, related: tuple[Related, ...]
    ) -> None:
        key = (code, severity, message, place)
        if key not in self._found:
            self._found[key] = Diagnostic(code, severity, message, place.pointer, *place.span, hint, related)
            self._room -= _EACH + len(message) + len(place.pointer) + len(hint)
            self._room -= sum(_EACH + len(other.message) + len(other.path) for other in related)


def related(message: str, at: At) -> Related:
    """Another place for a report, with what is to be said about it."""
    place = _place(at)
    return Related(message, place.pointer, *place.span)


def _place(at: At) -> Place:
    if isinstance(at, Value):
        return at.place()
    return at if isinstance(at, Place) else Place(at, "")


def _order(diagnostic: Diagnostic) -> tuple[int, int, bool]:
    return diagnostic.line, diagnostic.column, diagnostic.severity != ERROR
