"""Each fault once, in document order, the same every time (LANGUAGE §10)."""

from __future__ import annotations

import random

from loopstep.diagnostics.collector import ROOM, At, Reporter, related
from loopstep.diagnostics.diagnostic import has_errors
from loopstep.source.document import Fault, Mapping, Place, Scalar, Span
from loopstep.source.load import load


def plan() -> Mapping:
    root = load("a: 1\nb: {c: 'x > 3', d: [1, 2]}\n")[0]
    assert isinstance(root, Mapping)
    return root


def test_reports_stand_in_document_order_and_once() -> None:
    root = plan()
    inner = root.entries["b"]
    assert isinstance(inner, Mapping)
    reports: list[tuple[str, str, At]] = [
        ("expr.syntax", "wrong", inner.entries["d"]),
        ("document.unknown_field", "what is c", inner.at_key("c")),
        ("document.invalid_value", "not 1", root.entries["a"]),
        ("document.missing_field", "no x", inner),
        ("document.missing_field", "no y", inner),
    ]
    seen = set()
    for seed in range(20):
        shuffled = reports[:3] + reports[3:]
        random.Random(seed).shuffle(shuffled)
        shuffled.sort(key=lambda report: report[1] == "no y")
        reporter = Reporter()
        for code, message, at in shuffled * 2:
            reporter.error(code, message, at)
        seen.add(reporter.sorted())
    assert len(seen) == 1
    assert [(each.line, each.column, each.message, each.path) for each in seen.pop()] == [
        (1, 4, "not 1", "/a"),
        (2, 4, "no x", "/b"),
        (2, 4, "no y", "/b"),
        (2, 5, "what is c", "/b/c"),
        (2, 20, "wrong", "/b/d"),
    ]


def test_errors_stand_before_warnings_at_one_place() -> None:
    reporter = Reporter()
    reporter.warning("edge.no_default", "w", Span(1, 1, 1, 2))
    assert not reporter.has_errors and not has_errors(reporter.sorted())
    reporter.error("edge.ambiguous", "e", Span(1, 1, 1, 2))
    assert [each.severity for each in reporter.sorted()] == ["error", "warning"]
    assert reporter.has_errors and has_errors(reporter.sorted())


def test_the_json_form_has_every_key() -> None:
    root = plan()
    inner = root.entries["b"]
    assert isinstance(inner, Mapping)
    text = inner.entries["c"]
    assert isinstance(text, Scalar)
    reporter = Reporter()
    reporter.error("expr.syntax", "m", text.within(2, 3), "h", [related("see", root.entries["a"])])
    (diagnostic,) = reporter.sorted()
    assert diagnostic.to_json() == {
        "code": "expr.syntax",
        "severity": "error",
        "message": "m",
        "path": "/b/c",
        "line": 2,
        "column": 11,
        "endLine": 2,
        "endColumn": 12,
        "hint": "h",
        "related": [{"message": "see", "path": "/a", "line": 1, "column": 4, "endLine": 1, "endColumn": 5}],
    }


def test_faults_of_the_source_are_taken_over() -> None:
    reporter = Reporter()
    reporter.fault(Fault("document.syntax", "m", Span(3, 1, 3, 2), "/a", "h"))
    reporter.error("document.syntax", "m", Place(Span(3, 1, 3, 2), "/a"))
    (diagnostic,) = reporter.sorted()
    assert (diagnostic.code, diagnostic.line, diagnostic.path, diagnostic.hint) == ("document.syntax", 3, "/a", "h")


def test_what_has_no_room_only_fails_the_document() -> None:
    report = Reporter()
    for number in range(ROOM // 1000 + 2):
        report.warning("document.syntax", "x" * 1000, Span(number + 1, 1, number + 1, 1))
    count = len(report.sorted())
    assert report.full and not report.has_errors and count <= ROOM // 1000
    report.error("document.syntax", "late", Span(1, 1, 1, 1))
    assert report.has_errors and len(report.sorted()) == count
