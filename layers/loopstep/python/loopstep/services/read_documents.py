"""Read what documents a source has."""

from __future__ import annotations

from typing import Any

from loopstep.knowledge.records import Document
from loopstep.registry.records import SOURCE
from loopstep.services import paging
from loopstep.services.put_documents import Librarian, unknown_document
from loopstep.services.read_registry import unknown_entry

_TRIES = 4


def list_documents(librarian: Librarian, source: str, limit: int, cursor: str | None) -> dict[str, Any]:
    """`{items, next}`, by id; also of a source that was taken out. Raises Unknown `source.unknown`."""
    listing = ["documents", source]
    found, after = librarian.documents.page(source, limit, paging.take(listing, cursor, str, 200))
    if not found and librarian.registry.head(SOURCE, source) is None:
        raise unknown_entry(SOURCE, source)
    return {"items": [shown(each) for each in found], "next": paging.give(listing, after)}


def get_document(librarian: Librarian, source: str, id: str) -> dict[str, Any]:
    """The document with its text. Raises Unknown `document.unknown`."""
    for _ in range(_TRIES):
        document = librarian.documents.document(source, id)
        if document is None:
            break
        try:
            text = librarian.blobs.get(document.key).decode("utf-8")
        except KeyError:  # put again since: the old bytes are gone
            continue
        return {**shown(document), "text": text}
    raise unknown_document(source, id)


def shown(document: Document) -> dict[str, Any]:
    """What lists show."""
    return {
        "id": document.id,
        "title": document.title,
        "form": document.form,
        "bytes": document.bytes,
        "revision": document.revision,
        "updatedAt": document.updated_at,
    }
