"""Diagnostics as SARIF 2.1.0 (OASIS), which code scanning services read."""

from __future__ import annotations

import hashlib
import os.path
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from loopstep import __version__
from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.diagnostic import Diagnostic, Related
from loopstep.diagnostics.render import source_lines

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT: Final = "planDiagnostic/v1"


def sarif(
    found: Mapping[str, Iterable[Diagnostic]], sources: Mapping[str, bytes | str] | None = None
) -> dict[str, Any]:
    """One SARIF document, as JSON data, for the diagnostics by file.

    Files are named relative to the current directory where they are in it. `sources`, the documents' contents, let
    fingerprints survive when lines move: they hash the code, the file and the faulty line's text, not its number.
    """
    given = [(file, tuple(diagnostics)) for file, diagnostics in found.items()]
    names = sorted({diagnostic.code for _, diagnostics in given for diagnostic in diagnostics})
    index = {name: number for number, name in enumerate(names)}
    results: list[dict[str, Any]] = []
    for file, diagnostics in given:
        lines = source_lines(sources[file]) if sources and file in sources else []
        seen: dict[str, int] = {}
        for diagnostic in diagnostics:
            result = _result(file, diagnostic, index[diagnostic.code])
            result["partialFingerprints"] = {FINGERPRINT: _fingerprint(file, diagnostic, lines, seen)}
            results.append(result)
    driver = {
        "name": "loopstep",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(file)}} for file, _ in given],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    code = CODES.get(name)
    if code is None:
        return {"id": name}
    page = code.page
    markdown = f"{page.why}\n"
    if page.wrong and page.right:
        markdown += f"\nWrong:\n\n```yaml\n{page.wrong}```\n\nRight:\n\n```yaml\n{page.right}```\n"
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.replace(".", "_").split("_")),
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": page.why},
        "help": {"text": page.why, "markdown": markdown},
        "defaultConfiguration": {"level": code.severity},
    }


def _result(file: str, given: Diagnostic, rule: int) -> dict[str, Any]:
    text = f"{given.message} ({given.hint})" if given.hint else given.message
    result: dict[str, Any] = {
        "ruleId": given.code,
        "ruleIndex": rule,
        "level": given.severity,
        "message": {"text": text},
        "locations": [_location(file, given)],
    }
    if given.related:
        result["relatedLocations"] = [
            {"id": number, **_location(file, each), "message": {"text": each.message}}
            for number, each in enumerate(given.related, 1)
        ]
    return result


def _location(file: str, place: Diagnostic | Related) -> dict[str, Any]:
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region}}
    if place.path:
        location["logicalLocations"] = [{"fullyQualifiedName": place.path, "kind": "element"}]
    return location


def _uri(file: str) -> str:
    """A relative reference with forward slashes; a file elsewhere keeps its whole path."""
    if file == "-":
        return "stdin"
    path = os.path.relpath(file)
    outside = path == os.pardir or path.startswith(os.pardir + os.sep)
    path = (os.path.abspath(file) if outside else path).replace(os.sep, "/")
    return ("file://" if outside else "") + quote(path)


def _fingerprint(file: str, given: Diagnostic, lines: list[str], seen: dict[str, int]) -> str:
    line = lines[given.line - 1].strip() if 0 < given.line <= len(lines) else given.path
    base = hashlib.sha256("\0".join((given.code, _uri(file), line)).encode("utf-8", "replace")).hexdigest()[:32]
    seen[base] = seen.get(base, 0) + 1
    return f"{base}:{seen[base]}"
