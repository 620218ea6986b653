"""Put documents into a source and take them out: read first, then stored as one change of the source (CANVAS §3.5)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.knowledge import keys, reading
from loopstep.knowledge.passage import Problem, Unreadable
from loopstep.knowledge.records import MOST_DOCUMENTS, MOST_SOURCE_BYTES, Document, Head
from loopstep.knowledge.store import DocumentStore
from loopstep.registry.records import SOURCE, Entry
from loopstep.registry.store import RegistryStore
from loopstep.services.read_registry import unknown_entry
from loopstep.services.refusals import Conflicting, Unfit, Unknown

ATTEMPTS = 60  # each lost race means that somebody else's change was stored

CREATED, REPLACED, UNCHANGED = "created", "replaced", "unchanged"


class Librarian(NamedTuple):
    """What documents are kept with. `pause` waits a moment after the n-th lost race."""

    registry: RegistryStore
    documents: DocumentStore
    blobs: Blobs
    now: Callable[[], str]
    new_owner: Callable[[], str]
    pause: Callable[[int], None]


class Draft(NamedTuple):
    """A document about to be put; `title` is shown where it has none of its own, `form` one of `reading.FORMS`."""

    id: str
    title: str
    form: str
    data: bytes


class Put(NamedTuple):
    """A document as it stands now, and whether it is new, another than before, or the same."""

    document: Document
    outcome: str


def put_documents(librarian: Librarian, source: str, drafts: Sequence[Draft], numbered: bool = False) -> list[Put]:
    """All of them at once, or none. `numbered`: faults are told by `/documents/<place>`.

    Raises Unknown `source.unknown`, Unfit `document.unreadable` and `source.full`, Conflicting `source.managed` and
    `source.busy`.
    """
    read_as = ""
    owner = librarian.new_owner()
    stored: dict[str, str] = {}  # keys of the objects, by document
    for attempt in range(1, ATTEMPTS + 1):
        entry = _entry(librarian.registry, source)
        kind = str(entry.content["kind"])
        if kind != read_as:
            _read(kind, drafts, numbered)
            read_as = kind
        head = librarian.documents.head(source)
        before = librarian.documents.documents(source, [each.id for each in drafts])
        fresh = [each for each in drafts if not _same(before.get(each.id), each, kind)]
        if not fresh:
            return [Put(before[each.id], UNCHANGED) for each in drafts]
        for place, each in enumerate(drafts):
            if each in fresh and each.id not in stored:
                stored[each.id] = keys.document_object(source, owner, place)
                librarian.blobs.put(stored[each.id], each.data)
        put = [_document(each, kind, stored[each.id], head.revision + 1, librarian.now()) for each in fresh]
        after = _after(head, put, [before[each.id] for each in fresh if each.id in before])
        stands = librarian.registry.unmoved(SOURCE, source, entry.version)  # its kind is the one that they were read as
        if librarian.documents.commit(source, head, put, [], after, owner, [stands]):
            _forget(librarian.blobs, [before[each.id].key for each in put if each.id in before])
            made = {each.id: Put(each, REPLACED if each.id in before else CREATED) for each in put}
            return [made.get(each.id) or Put(before[each.id], UNCHANGED) for each in drafts]
        librarian.pause(attempt)
    _forget(librarian.blobs, stored.values())
    raise Conflicting("source.busy", "Others kept changing the source at the same time; nothing was stored.")


def remove_document(librarian: Librarian, source: str, id: str) -> None:
    """It is not found from now on. Raises Unknown `document.unknown`, Conflicting `source.busy`."""
    owner = librarian.new_owner()
    for attempt in range(1, ATTEMPTS + 1):
        head = librarian.documents.head(source)
        before = librarian.documents.document(source, id)
        if before is None:
            raise unknown_document(source, id)
        after = Head(head.revision + 1, head.documents - 1, head.bytes - before.bytes)
        if librarian.documents.commit(source, head, [], [id], after, owner):
            _forget(librarian.blobs, [before.key])
            return
        librarian.pause(attempt)
    raise Conflicting("source.busy", "Others kept changing the source at the same time; nothing was removed.")


def unknown_document(source: str, id: str) -> Unknown:
    """The source has no such document."""
    return Unknown("document.unknown", f"The source {source} has no document {id}.")


def _entry(registry: RegistryStore, source: str) -> Entry:
    entry = registry.latest(SOURCE, source)
    if entry is None:
        raise unknown_entry(SOURCE, source)
    if entry.content.get("managed"):
        raise Conflicting("source.managed", f"A knowledge base answers for the source {source}: it has no documents.")
    return entry


def _read(kind: str, drafts: Sequence[Draft], numbered: bool) -> None:
    errors: list[dict[str, str]] = []
    for place, draft in enumerate(drafts):
        try:
            reading.passages(kind, draft.form, draft.data, draft.title)
        except Unreadable as unreadable:
            prefix = f"/documents/{place}" if numbered else ""
            errors.extend(_fault(prefix, problem) for problem in unreadable.problems)
    if errors:
        raise Unfit("document.unreadable", "What was sent cannot be read as documents of the source.", errors=errors)


def _fault(prefix: str, problem: Problem) -> dict[str, str]:
    where = "".join(f"/{part}" for part in (problem.line or "", problem.field.replace("/", "~1")) if part)
    message = f"line {problem.line}: {problem.message}" if problem.line else problem.message
    return {"path": prefix + where, "code": "document.unreadable", "message": message}


def _same(before: Document | None, draft: Draft, kind: str) -> bool:
    now = (_digest(draft.data), draft.title, kind, draft.form)
    return before is not None and (before.digest, before.title, before.kind, before.form) == now


def _document(draft: Draft, kind: str, key: str, revision: int, now: str) -> Document:
    return Document(draft.id, draft.title, kind, draft.form, key, _digest(draft.data), len(draft.data), revision, now)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _after(head: Head, put: Sequence[Document], before: Sequence[Document]) -> Head:
    count = head.documents + len(put) - len(before)
    size = head.bytes + sum(each.bytes for each in put) - sum(each.bytes for each in before)
    if count > MOST_DOCUMENTS and len(put) > len(before):
        raise Unfit("source.full", f"A source has at most {MOST_DOCUMENTS:,} documents.")
    if size > MOST_SOURCE_BYTES and size > head.bytes:
        raise Unfit("source.full", f"A source's documents have at most {MOST_SOURCE_BYTES // 2**20} MiB together.")
    return Head(head.revision + 1, count, size)


def _forget(blobs: Blobs, old: Any) -> None:
    """Delete objects that nothing names any more. One that stays does no harm, so a fault here is nobody's."""
    for key in old:
        try:
            blobs.remove(key)
        except Exception:
            continue
