"""Records of documents as DynamoDB items and back. No attribute is named as one of the table's index keys."""

from __future__ import annotations

import json
from typing import Any

from loopstep.knowledge import keys
from loopstep.knowledge.records import Change, Changed, Document, Head, Snapshot

Item = dict[str, Any]


def key(source: str, sort: str) -> Item:
    """The key of an item of a source."""
    return {"pk": {"S": keys.partition(source)}, "sk": {"S": sort}}


def head_item(source: str, head: Head) -> Item:
    """The item of a head."""
    return key(source, keys.HEAD) | {name: {"N": str(value)} for name, value in head._asdict().items()}


def read_head(item: Item | None) -> Head:
    """The head; that of a source without documents where there is no item."""
    return Head() if item is None else Head(*(int(item[name]["N"]) for name in Head._fields))


def document_item(source: str, document: Document) -> Item:
    """The item of a document."""
    return key(source, keys.document(document.id)) | {
        "title": {"S": document.title},
        "source_kind": {"S": document.kind},
        "form": {"S": document.form},
        "object": {"S": document.key},
        "digest": {"S": document.digest},
        "bytes": {"N": str(document.bytes)},
        "revision": {"N": str(document.revision)},
        "updated_at": {"S": document.updated_at},
    }


def read_document(item: Item) -> Document:
    """The document of a stored item."""
    return Document(
        id=item["sk"]["S"].removeprefix(keys.DOCUMENTS),
        title=item["title"]["S"],
        kind=item["source_kind"]["S"],
        form=item["form"]["S"],
        key=item["object"]["S"],
        digest=item["digest"]["S"],
        bytes=int(item["bytes"]["N"]),
        revision=int(item["revision"]["N"]),
        updated_at=item["updated_at"]["S"],
    )


def change_item(source: str, change: Change, owner: str) -> Item:
    """The item of a change."""
    documents = json.dumps(change.documents, ensure_ascii=False)
    return key(source, keys.change(change.revision)) | {"documents": {"S": documents}, "owner": {"S": owner}}


def read_change(item: Item) -> Change:
    """The change of a stored item."""
    revision = int(item["sk"]["S"].removeprefix(keys.CHANGES))
    return Change(revision, tuple(Changed(*each) for each in json.loads(item["documents"]["S"])))


def snapshot_item(source: str, snapshot: Snapshot) -> Item:
    """The item of a snapshot."""
    numbers = {name: {"N": str(getattr(snapshot, name))} for name in ("revision", "format", "bytes")}
    return key(source, keys.SNAPSHOT) | numbers | {"object": {"S": snapshot.key}}


def read_snapshot(item: Item) -> Snapshot:
    """The snapshot of a stored item."""
    revision, form, size = (int(item[name]["N"]) for name in ("revision", "format", "bytes"))
    return Snapshot(revision, form, item["object"]["S"], size)
