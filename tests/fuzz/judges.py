"""What must hold of every input: no exception but what a port says, and a place in the text for every diagnostic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from loopstep.canvas.lower import import_canvas
from loopstep.canvas.mappings import mappings
from loopstep.compiler.compile import compile
from loopstep.compiler.emit import definition_text, emit
from loopstep.compiler.gate import gate
from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.expressions.check import check
from loopstep.expressions.parse import parse, parse_ref
from loopstep.expressions.scope import Scope, record
from loopstep.expressions.template import check_template, parse_template
from loopstep.expressions.tree import to_tree
from loopstep.knowledge.passage import Unreadable
from loopstep.knowledge.reading import FORMS, passages
from loopstep.services.entry_document import read_entry
from loopstep.source.document import plain
from loopstep.source.load import load
from loopstep.types.schema import Schema

_LINES = re.compile(r"\r\n|\r|\n")
_LIMITS = ("limit.definition_size", "limit.state_size")


def text_of(data: bytes | str) -> str:
    return (data if isinstance(data, str) else data.decode("utf-8", "replace")).removeprefix("\ufeff")


def placed(found: Iterable[Diagnostic], data: bytes | str) -> None:
    """Known codes; lines and columns of the text, the end not before the start; text that UTF-8 can say."""
    lines = _LINES.split(text_of(data))
    for each in found:
        assert each.code in CODES, each
        for line, column in ((each.line, each.column), (each.end_line, each.end_column)):
            assert 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1, (each, line, column)
        assert (each.line, each.column) <= (each.end_line, each.end_column), each
        assert each.message and each.path[:1] in ("", "/")
        json.dumps(each.to_json(), ensure_ascii=False).encode()


def loader(data: bytes | str) -> None:
    root, faults = load(data)
    fatal = [fault for fault in faults if fault.code != "document.duplicate_key"]
    assert len(fatal) == (root is None)
    report = Reporter()
    for fault in faults:
        report.fault(fault)
    placed(report.sorted(), data)
    if root is not None:
        plain(root)


def plan(data: str) -> None:
    """Compiles or is refused; the same again; what is compiled passes the gate."""
    compiled = compile(data, "p")
    placed(compiled.diagnostics, data)
    assert (compiled.program is None) == any(each.severity == "error" for each in compiled.diagnostics)
    assert compile(data, "p").diagnostics == compiled.diagnostics
    if compiled.program is not None:
        definition = emit(compiled.program, lambda kind: f"arn:aws:lambda:us-east-1:123456789012:function:{kind}:live")
        assert [fault for fault in gate(definition) if fault.code not in _LIMITS] == []
        definition_text(definition).encode()


def canvas(data: str) -> None:
    """Is lowered to a plan that compiles, or refused."""
    imported = import_canvas(data)
    placed(imported.diagnostics, data)
    assert (imported.plan is None) == any(each.severity == "error" for each in imported.diagnostics)
    if imported.plan is not None:
        again = compile(imported.text).diagnostics
        assert not [each for each in again if each.severity == "error" and each.code != "registry.unknown"]
    mappings(data, "n1")


_TEXT, _NUMBER = Schema("string"), Schema("integer", required=True)
_FIELDS = {"n": _NUMBER, "name": _TEXT, "list": Schema("array", items=_TEXT), "x": Schema("any"), "text": _TEXT}
SCOPE = Scope({root: record(_FIELDS) for root in ("input", "state", "item")})


def expression(text: str) -> None:
    for tree, faults in (parse(text), parse_ref(text)):
        for fault in faults:
            assert 0 <= fault.start <= fault.end <= len(text), fault
            assert fault.code in ("expr.syntax", "document.too_large", "limit.depth"), fault
        assert tree is not None or faults
        if tree is not None:
            for fault in check(tree, SCOPE).faults:
                assert 0 <= fault.start <= fault.end <= len(text), fault
            if not faults:
                json.dumps(to_tree(tree))


def template(text: str) -> None:
    parts, faults = parse_template(text)
    for fault in (*faults, *check_template(parts, SCOPE).faults):
        assert 0 <= fault.start <= fault.end <= len(text), fault


def skill(data: bytes | str) -> None:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    for kind in ("skill", "source", "scope"):
        report = Reporter()
        found = read_entry(kind, "s", raw, kind == "skill", report)
        placed(report.sorted(), raw)
        assert (found.content is None) == report.has_errors
        if found.content is not None:
            json.dumps(found.content, ensure_ascii=False).encode()


def document(data: bytes | str) -> None:
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    lines = len(_LINES.split(raw.decode("utf-8", "replace")))
    for kind, forms in FORMS.items():
        for form in forms:
            try:
                found: list[Any] = passages(kind, form, raw, "title")
            except Unreadable as unreadable:
                assert unreadable.problems and all(0 <= each.line <= lines for each in unreadable.problems)
            else:
                assert found and all(1 <= each.line <= lines for each in found)
