"""How each kind of hostile input comes in, and what was said of it: the codes of its errors, none where it was taken."""

from __future__ import annotations

import base64
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from loopstep.api.bodies import json_body
from loopstep.api.document_models import NewDocuments
from loopstep.api.models import StartRun
from loopstep.api.wait_models import CallbackAnswer
from loopstep.diagnostics.collector import Reporter
from loopstep.knowledge.passage import Unreadable
from loopstep.knowledge.reading import passages
from loopstep.runtime.lenient_json import object_in
from loopstep.services.check_plan import check_plan
from loopstep.services.entry_document import read_entry
from loopstep.services.import_canvas import canvas_mappings, import_canvas
from loopstep.services.refusals import Refused
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema

Face = Callable[[bytes], set[str]]


def errors(diagnostics: list[dict[str, Any]]) -> set[str]:
    """The codes of the errors among diagnostics."""
    return {each["code"] for each in diagnostics if each["severity"] == "error"}


def plan(data: bytes) -> set[str]:
    """As POST /plans/check has it."""
    checked = check_plan(data, lambda kind: f"arn:aws:lambda:us-east-1:123456789012:function:s-{kind}:live")
    return errors(checked["diagnostics"])


def canvas(data: bytes) -> set[str]:
    """As POST /canvas/import has it."""
    return errors(import_canvas(data, None)["diagnostics"])


def mappings(data: bytes) -> set[str]:
    """As POST /canvas/mappings?node=n has it."""
    try:
        canvas_mappings(data, "n")
    except Refused as refused:
        return {refused.code}
    return set()


def skill(data: bytes) -> set[str]:
    """As PUT /skills/s has it."""
    report = Reporter()
    read_entry("skill", "s", data, True, report)
    return errors([each.to_json() for each in report.sorted()])


def source(data: bytes) -> set[str]:
    """As PUT /sources/s has it."""
    report = Reporter()
    read_entry("source", "s", data, False, report)
    return errors([each.to_json() for each in report.sorted()])


def _document(kind: str, form: str) -> Face:
    def read(data: bytes) -> set[str]:
        try:
            passages(kind, form, data, "title")
        except Unreadable:
            return {"document.unreadable"}
        return set()

    return read


def _event(data: bytes) -> Any:
    """What the gateway hands on: bytes that are no UTF-8 in base64."""
    try:
        body = {"body": data.decode("utf-8"), "isBase64Encoded": False}
    except UnicodeDecodeError:
        body = {"body": base64.b64encode(data).decode("ascii"), "isBase64Encoded": True}
    return SimpleNamespace(get=body.get)


def _body(model: Any) -> Face:
    def read(data: bytes) -> set[str]:
        try:
            json_body(_event(data), model)
        except Refused as refused:
            return {refused.code}
        return set()

    return read


def start_input(data: bytes) -> set[str]:
    """The input of a run: a body, and then its contract `{text: string, any: any, list: array of string}`."""
    fields = {
        "text": Schema.from_json({"type": "string"}),
        "any": Schema.from_json({"type": "any"}),
        "list": Schema.from_json({"type": "array", "items": {"type": "string"}}),
    }
    try:
        given = json_body(_event(data), StartRun).input
    except Refused as refused:
        return {refused.code}
    if not isinstance(given, dict):
        return {"input.invalid"}
    return {"input.invalid"} if conform_fields(given, fields)[1] else set()


def model_answer(data: bytes) -> set[str]:
    """What a model answered where an object with these names is wanted."""
    found = object_in(data.decode("utf-8", "surrogateescape"), ("a", "b"))
    return {"llm.unstructured"} if found is None else set()


FACES: dict[str, Face] = {
    "plan": plan,
    "canvas": canvas,
    "mappings": mappings,
    "skill": skill,
    "source": source,
    "markdown": _document("DOCUMENT", "markdown"),
    "html": _document("DOCUMENT", "html"),
    "text": _document("DOCUMENT", "text"),
    "csv": _document("STRUCTURED_DATA", "csv"),
    "jsonl": _document("STRUCTURED_DATA", "jsonl"),
    "triples": _document("GRAPH", "csv"),
    "start": _body(StartRun),
    "answer": _body(CallbackAnswer),
    "documents": _body(NewDocuments),
    "input": start_input,
    "model": model_answer,
}
