"""How cases came out: for people with the timeline of what failed, as JSON, and as JUnit XML."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import click

from loopstep.cli import table
from loopstep.cli.diagnosis import coloured
from loopstep.cli.timeline import timeline
from loopstep.diagnostics.one_line import plain
from loopstep.diagnostics.render import render

if TYPE_CHECKING:
    from loopstep.testing.play import Fault, Played
    from loopstep.testing.suite import Result, Timed, Told

_INDENT = "      "


def text(results: Sequence[Result]) -> str:
    """Every file with its cases, and a last line that counts."""
    lines: list[str] = []
    for result in results:
        lines += [result.file, *(line for told in result.told for line in _told(told))]
        for timed in result.cases:
            lines += _case(timed.played)
    played = [timed.played for result in results for timed in result.cases]
    failed, broken = sum(not each.ok for each in played), sum(any(t.broken for t in r.told) for r in results)
    counts = [
        f"{len(played)} case{'' if len(played) == 1 else 's'}",
        f"{failed} failed" if failed else "all as expected",
    ]
    counts += [f"{broken} file{'' if broken == 1 else 's'} with errors"] if broken else []
    return "\n".join([*lines, "", ", ".join(counts if played else counts[2:]), ""])


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """`{"passed", "failed", "files": [{"file", "plan", "diagnostics", "cases": […]}]}`."""
    files: list[dict[str, Any]] = [
        {
            "file": result.file,
            "plan": result.plan,
            "diagnostics": [_told_json(told) for told in result.told if told.diagnostics or told.refusals],
            "cases": [_case_json(timed) for timed in result.cases],
        }
        for result in results
    ]
    verdicts = [case["ok"] for file in files for case in file["cases"]]
    return {"passed": sum(verdicts), "failed": len(verdicts) - sum(verdicts), "files": files}


def junit(results: Sequence[Result]) -> str:
    """One suite a file; a file with errors is a case of its own that could not be run."""
    root = ET.Element("testsuites", name="loopstep")
    for result in results:
        suite = ET.SubElement(root, "testsuite", name=result.file)
        broken = [told for told in result.told if told.broken]
        for told in broken:
            case = ET.SubElement(suite, "testcase", name="read", classname=result.file, time="0")
            words = _told(told)
            ET.SubElement(case, "error", message=f"{told.file} has errors").text = _xml("\n".join(words))
        for played, seconds in result.cases:
            case = ET.SubElement(suite, "testcase", name=_xml(played.case.name), classname=result.file)
            case.set("time", f"{seconds:.3f}")
            case.set("line", str(played.case.span.line))
            if not played.ok:
                first, *_ = played.faults
                failure = ET.SubElement(case, "failure", message=_xml(first.message), type=first.what)
                failure.text = _xml("\n".join([*(fault.message for fault in played.faults), *_timeline(played)]))
        failed = sum(not timed.played.ok for timed in result.cases)
        total = len(result.cases) + len(broken)
        suite.attrib.update(tests=str(total), failures=str(failed), errors=str(len(broken)))
        suite.set("time", f"{sum(timed.seconds for timed in result.cases):.3f}")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(played: Played) -> Iterator[str]:
    mark = "✓" if played.ok else "✗"
    if coloured(sys.stdout):
        mark = click.style(mark, fg="green" if played.ok else "red")
    yield f"  {mark} {plain(played.case.name)}"
    if not played.ok:
        for fault in played.faults:
            yield from table.folded(plain(fault.message), table.columns() or 160, _INDENT)
        yield from (f"{_INDENT}{line}" for line in _timeline(played))


def _timeline(played: Played) -> list[str]:
    if played.run is None:
        return []
    return [click.unstyle(line) for line in timeline(played.run, list(played.activations))]


def _told(told: Told) -> list[str]:
    lines = [f"{told.file}: {refusal}" for refusal in told.refusals]
    if told.diagnostics and told.broken:
        lines += render(told.file, told.document, told.diagnostics, colour=coloured(sys.stdout)).split("\n")
    return lines


def _told_json(told: Told) -> dict[str, Any]:
    found = [each.to_json() for each in told.diagnostics]
    return {"file": told.file, "diagnostics": found, "refusals": list(told.refusals)}


def _case_json(timed: Timed) -> dict[str, Any]:
    played = timed.played
    run = played.run or {}
    return {
        "name": played.case.name,
        "line": played.case.span.line,
        "ok": played.ok,
        "seconds": round(timed.seconds, 3),
        "faults": [_fault(fault) for fault in played.faults],
        "status": run.get("status"),
        "output": run.get("output"),
        "error": run.get("error"),
    }


def _fault(fault: Fault) -> dict[str, Any]:
    from loopstep.testing.matching import MISSING

    sides = {"expected": fault.expected, "actual": fault.actual}
    given = {name: value for name, value in sides.items() if value is not MISSING}
    return {"what": fault.what, "path": fault.path, "message": fault.message, **given}


def _xml(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(c if c >= " " or c in "\t\n" else "\ufffd" for c in text if not "\ud800" <= c <= "\udfff")
