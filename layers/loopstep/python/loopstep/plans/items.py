"""Records of plans as DynamoDB items and back (low-level attribute values)."""

from __future__ import annotations

from typing import Any

from loopstep.access.actor import of_text
from loopstep.plans import keys
from loopstep.plans.records import TEXTS, PlanHead, PlanVersion, Stored

Item = dict[str, Any]

INLINE_BYTES = 32 * 1024  # a longer text goes to the bucket: ten of these stay well under the 400 KB of an item


def head_item(head: PlanHead) -> Item:
    """The item of a head; `kind` and `name` put it into the `by_kind` index."""
    return {
        "pk": {"S": keys.partition(head.name)},
        "sk": {"S": keys.HEAD},
        "kind": {"S": keys.KIND},
        "name": {"S": head.name},
        "latest": {"N": str(head.latest)},
        "title": {"S": head.title},
        "description": {"S": head.description},
        "created_at": {"S": head.created_at},
        "updated_at": {"S": head.updated_at},
    }


def read_head(item: Item) -> PlanHead:
    """The head of a stored item."""
    return PlanHead(
        name=item["name"]["S"],
        latest=int(item["latest"]["N"]),
        title=item["title"]["S"],
        description=item["description"]["S"],
        created_at=item["created_at"]["S"],
        updated_at=item["updated_at"]["S"],
    )


def version_item(version: PlanVersion) -> Item:
    """The item of a version."""
    item: Item = {
        "pk": {"S": keys.partition(version.name)},
        "sk": {"S": keys.version(version.number)},
        "name": {"S": version.name},
        "number": {"N": str(version.number)},
        "title": {"S": version.title},
        "description": {"S": version.description},
        "machine": {"S": version.machine},
        "fences": {"BOOL": version.fences},
        "document_digest": {"S": version.document_digest},
        "definition_digest": {"S": version.definition_digest},
        "created_at": {"S": version.created_at},
        "owner": {"S": version.owner},
        "timeout": {"N": str(version.timeout)},
    }
    if version.published_by is not None:
        item["published_by"] = {"S": version.published_by.to_text()}
    for name, text in version.texts.items():
        item[f"t_{name}"] = _text_value(text)
    return item


def read_version(item: Item) -> PlanVersion:
    """The version of a stored item."""
    return PlanVersion(
        name=item["name"]["S"],
        number=int(item["number"]["N"]),
        title=item["title"]["S"],
        description=item["description"]["S"],
        machine=item["machine"]["S"],
        fences=item["fences"]["BOOL"],
        document_digest=item["document_digest"]["S"],
        definition_digest=item["definition_digest"]["S"],
        created_at=item["created_at"]["S"],
        owner=item["owner"]["S"],
        texts={name: _read_text(item[f"t_{name}"]) for name in TEXTS if f"t_{name}" in item},
        timeout=int(item["timeout"]["N"]) if "timeout" in item else 0,
        published_by=of_text(item["published_by"]["S"]) if "published_by" in item else None,
    )


def _text_value(text: str | Stored) -> Item:
    if isinstance(text, Stored):
        return {"M": {"key": {"S": text.key}, "bytes": {"N": str(text.bytes)}}}
    return {"S": text}


def _read_text(value: Item) -> str | Stored:
    if "M" in value:
        return Stored(value["M"]["key"]["S"], int(value["M"]["bytes"]["N"]))
    text: str = value["S"]
    return text
