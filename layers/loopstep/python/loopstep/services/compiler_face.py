"""The compiler function's requests: checked, done, and answered with a status, so that the caller needs no compiler."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loopstep.access.actor import of_json
from loopstep.services.check_plan import check_plan
from loopstep.services.publish_plan import Published, Publisher, publish_plan
from loopstep.services.refusals import HTTP_STATUS, Malformed, Refused, TooLarge

MAX_DOCUMENT = 1024 * 1024  # LANGUAGE §11, bytes
MAX_DIAGNOSTICS = 2000  # some 1 MB of an answer that may have 6

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Reply:
    """`code` is "" where the request was done; `plan` is the name where it is one."""

    status: int
    body: dict[str, Any]
    plan: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class CompilerFace:
    """Answers the function's events."""

    publisher: Publisher

    def answer(self, event: Mapping[str, Any]) -> Reply:
        """What was done, or why not. Raises nothing that the request could cause."""
        name = event.get("name")
        plan = name if isinstance(name, str) and _NAME.fullmatch(name) else ""
        try:
            return self._answer(event, plan)
        except Refused as refused:
            facts = {**refused.facts, **_cut(refused.facts.get("diagnostics"))}
            body = {**facts, "code": refused.code, "detail": refused.detail}
            return Reply(HTTP_STATUS[type(refused)], body, plan, refused.code)

    def _answer(self, event: Mapping[str, Any], plan: str) -> Reply:
        document = _document(event)
        if event.get("action") == "register":
            return _register(self.publisher, event, document)
        if event.get("action") == "trigger" and plan:
            from loopstep.services.trigger_document import read_trigger

            return Reply(200, read_trigger(self.publisher.plans, plan, document), plan)
        if event.get("action") in ("import", "mappings"):
            return Reply(200, _canvas(self.publisher, event, document), plan)
        if event.get("action") == "check":
            registry = self.publisher.as_it_stands()
            checked = check_plan(document, self.publisher.function_arn, plan or None, registry)
            return Reply(200, {**checked, **_cut(checked["diagnostics"])}, plan)
        if event.get("action") == "draw":
            return Reply(200, _draw(self.publisher, event, document), plan)
        if event.get("action") != "publish":
            actions = "`check`, `draw`, `publish`, `import`, `mappings`, `register` or `trigger`"
            raise Malformed("request.invalid", f"`action` is {actions}.")
        if not plan:
            raise Malformed("request.invalid", "`name` is not a plan's name.")
        published = publish_plan(self.publisher, plan, document, of_json(event.get("by")))
        return Reply(201 if published.created else 200, _published(published), plan)


def _register(publisher: Publisher, event: Mapping[str, Any], document: bytes) -> Reply:
    """A skill, an agent, a source or a scope; publishing a plan does not load what reads them."""
    from loopstep.services.register import Registrar, is_registrable, register

    kind, id = event.get("kind"), event.get("id")
    if not isinstance(kind, str) or not isinstance(id, str) or not is_registrable(kind, id):
        raise Malformed("request.invalid", "`kind` and `id` name nothing that can be registered.")
    if publisher.registry is None or publisher.documents is None:
        raise AssertionError("the compiler function has a registry")
    run = (publisher.now, publisher.new_owner, publisher.pause)
    registrar = Registrar(publisher.registry, *run, publisher.documents)
    made = register(registrar, kind, id, document, event.get("markdown") is True)
    body = {
        "id": id,
        "version": made.head.latest,
        "unchanged": not made.created,
        "digest": made.head.digest,
        "createdAt": made.head.created_at,
        "updatedAt": made.head.updated_at,
        **_cut(made.diagnostics),
    }
    return Reply(201 if made.created else 200, body, f"{kind} {id}")


def _draw(publisher: Publisher, event: Mapping[str, Any], document: bytes) -> dict[str, Any]:
    """What is to be drawn of a document; publishing a plan does not load what describes it."""
    from loopstep.services.draw_document import describe_document
    from loopstep.services.views import VIEWS

    view = event.get("view")
    if view not in VIEWS:
        raise Malformed("request.invalid", f"`view` is one of {', '.join(VIEWS)}.")
    described = describe_document(document, view, publisher.function_arn, publisher.as_it_stands())
    return {**described, **_cut(described["diagnostics"])}


def _canvas(publisher: Publisher, event: Mapping[str, Any], document: bytes) -> dict[str, Any]:
    """What is asked about a canvas; publishing a plan does not load what knows them."""
    from loopstep.services.import_canvas import canvas_mappings, import_canvas

    if event["action"] == "import":
        imported = import_canvas(document, publisher.as_it_stands())
        return {**imported, **_cut(imported["diagnostics"])}
    node = event.get("node")
    if not isinstance(node, str) or not node:
        raise Malformed("request.invalid", "`node` is not a node's id.")
    return canvas_mappings(document, node)


def _document(event: Mapping[str, Any]) -> bytes:
    document = event.get("document")
    if not isinstance(document, str):
        raise Malformed("request.invalid", "`document` is missing.")
    try:
        data = base64.b64decode(document, validate=True) if event.get("encoding") == "base64" else document.encode()
    except (binascii.Error, ValueError):
        raise Malformed("request.malformed", "The document cannot be decoded.") from None
    if len(data) > MAX_DOCUMENT:
        raise TooLarge("document.too_large", "The document is larger than 1 MiB.")
    return data


def _published(published: Published) -> dict[str, Any]:
    version = published.version
    return {
        "name": version.name,
        "version": version.number,
        "unchanged": not published.created,
        "machineArn": version.machine,
        "documentDigest": version.document_digest,
        "definitionDigest": version.definition_digest,
        "createdAt": version.created_at,
        **_cut(published.diagnostics),
    }


def _cut(diagnostics: Any) -> dict[str, Any]:
    """The diagnostics, the first 2,000 of them; `omittedDiagnostics` says how many more there are."""
    if not isinstance(diagnostics, list):
        return {}
    if len(diagnostics) <= MAX_DIAGNOSTICS:
        return {"diagnostics": diagnostics}
    return {"diagnostics": diagnostics[:MAX_DIAGNOSTICS], "omittedDiagnostics": len(diagnostics) - MAX_DIAGNOSTICS}
