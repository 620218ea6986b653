"""The record that every phase reports and every face shows (LANGUAGE §10)."""

from __future__ import annotations

from typing import Any, NamedTuple

ERROR = "error"
WARNING = "warning"


class Related(NamedTuple):
    """Another place that belongs to a diagnostic. Lines and columns as in `Diagnostic`, `path` a JSON pointer."""

    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to_json(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
        }


class Diagnostic(NamedTuple):
    """One fault of a document. Lines and columns are 1-based, the end is exclusive, columns count code points.

    `severity` is "error" or "warning", `path` the JSON pointer of the value it is about, `hint` "" where there is none.
    """

    code: str
    severity: str
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    hint: str = ""
    related: tuple[Related, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The form of the API and of `check --json`; every key is always there."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "endLine": self.end_line,
            "endColumn": self.end_column,
            "hint": self.hint,
            "related": [related.to_json() for related in self.related],
        }


def has_errors(diagnostics: tuple[Diagnostic, ...] | list[Diagnostic]) -> bool:
    """Whether a plan with these compiles to nothing."""
    return any(diagnostic.severity == ERROR for diagnostic in diagnostics)
