"""Register a skill, an agent, a source or a scope: its next version, where its content is another (ARCHITECTURE §4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.knowledge.store import DocumentStore
from loopstep.registry import keys
from loopstep.registry.records import KINDS, SCOPE, SOURCE, Entry, Head, digest
from loopstep.registry.store import RegistryStore
from loopstep.services.entry_content import Named, is_entry_id
from loopstep.services.entry_document import read_entry
from loopstep.services.refusals import Conflicting, Unfit
from loopstep.types.forms import is_scope

ATTEMPTS = 24  # each lost race means that somebody else's version was stored, or that the thing was removed

Pause = Callable[[int], None]


def is_registrable(kind: str, id: str) -> bool:
    """Whether there are things of that kind, and this is an id that one may have."""
    return kind in KINDS and (is_scope(id) if kind == SCOPE else is_entry_id(id))


class Registered(NamedTuple):
    """`created` is False where the newest version already had this content."""

    head: Head
    entry: Entry
    created: bool
    diagnostics: list[dict[str, Any]]


class Registrar(NamedTuple):
    """What registering works with: `now` gives ISO 8601 UTC with milliseconds, `new_owner` a random text, `pause`
    waits a moment after the n-th lost race.
    """

    registry: RegistryStore
    now: Callable[[], str]
    new_owner: Callable[[], str]
    pause: Pause
    documents: DocumentStore


def register(registrar: Registrar, kind: str, id: str, document: bytes, markdown: bool = False) -> Registered:
    """The version that now stands. Raises Unfit `<kind>.invalid` with diagnostics, Conflicting `registry.conflict`,
    `source.has_documents`.
    """
    report = Reporter()
    found = read_entry(kind, id, document, markdown, report)
    for named in found.named:
        _look_up(registrar.registry, named, report)
    diagnostics = [each.to_json() for each in report.sorted()]
    if found.content is None or report.has_errors:
        raise Unfit(f"{kind}.invalid", f"The {kind} has errors.", diagnostics=diagnostics)
    head, created = _store(registrar, kind, id, found.content)
    return Registered(head, Entry(kind, id, head.latest, found.content), created, diagnostics)


def _look_up(registry: RegistryStore, named: Named, report: Reporter) -> None:
    """What it names has to be there first."""
    head = registry.head(named.kind, named.id)
    if head is not None and not head.removed:
        return
    near = nearest(named.id, [each.id for each in registry.list(named.kind)])
    hint = f"did you mean `{near}`?" if near else f"`loopstep {named.kind}s put` registers one"
    report.error("registry.unknown", f"the stack has no {named.kind} `{named.id}`", named.at, hint)


def _store(registrar: Registrar, kind: str, id: str, content: dict[str, Any]) -> tuple[Head, bool]:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    wanted, owner = digest(text), registrar.new_owner()
    for attempt in range(1, ATTEMPTS + 1):
        before = registrar.registry.head(kind, id)
        if before is not None and not before.removed and before.digest == wanted:
            return before, before.owner == owner  # the write of an earlier round counts, whatever became of its reply
        if before is not None and before.latest >= keys.MAX_VERSION:
            raise Conflicting("registry.too_many", f"The {kind} {id} has all the versions it can have.")
        head = _next(before, kind, id, content, wanted, owner, registrar.now())
        also = _documents_fit(registrar, before, id, content) if kind == SOURCE else ()
        if registrar.registry.add(head, text, also):
            return head, True
        registrar.pause(attempt)
    raise Conflicting(
        "registry.conflict", f"Others kept changing the {kind} {id} at the same time; nothing was stored."
    )


def _documents_fit(
    registrar: Registrar, before: Head | None, id: str, content: dict[str, Any]
) -> tuple[dict[str, Any], ...]:
    """The condition that the source's documents still are of its kind. Raises Conflicting `source.has_documents`.

    A source that was removed keeps its documents, so one that takes its id is asked too.
    """
    if before is not None and not before.removed:
        earlier = registrar.registry.get(SOURCE, id, before.latest).content
        if (earlier["kind"], bool(earlier["managed"])) == (content["kind"], bool(content["managed"])):
            return ()
    head = registrar.documents.head(id)
    found, _ = registrar.documents.page(id, 1)
    if found and (content["managed"] or found[0].kind != content["kind"]):
        detail = f"The source {id} has documents of kind {found[0].kind} ({head.documents}): remove them first."
        raise Conflicting("source.has_documents", detail)
    return (registrar.documents.unmoved(id, head),)


def _next(before: Head | None, kind: str, id: str, content: dict[str, Any], digest: str, owner: str, now: str) -> Head:
    return Head(
        kind=kind,
        id=id,
        latest=before.latest + 1 if before else 1,
        digest=digest,
        title=content.get("name", id),
        description=content["description"],
        label=content.get("kind", ""),
        enabled=content.get("enabled", True),
        removed=False,
        owner=owner,
        created_at=before.created_at if before else now,
        updated_at=now,
    )
