"""Records of registered things as DynamoDB items and back (low-level attribute values)."""

from __future__ import annotations

from typing import Any

from loopstep.registry import keys
from loopstep.registry.records import Head, Version

Item = dict[str, Any]

INLINE_BYTES = 32 * 1024  # a longer content goes to the bucket

_TEXTS = ("digest", "title", "description", "label", "owner", "created_at", "updated_at")


def head_key(kind: str, id: str) -> Item:
    """The key of a head."""
    return {"pk": {"S": keys.heads(kind)}, "sk": {"S": id}}


def version_key(kind: str, id: str, number: int) -> Item:
    """The key of a version."""
    return {"pk": {"S": keys.partition(kind, id)}, "sk": {"S": keys.version(number)}}


def head_item(head: Head) -> Item:
    """The item of a head."""
    return {
        **head_key(head.kind, head.id),
        "latest": {"N": str(head.latest)},
        "enabled": {"BOOL": head.enabled},
        "removed": {"BOOL": head.removed},
        **{name: {"S": getattr(head, name)} for name in _TEXTS},
    }


def read_head(kind: str, item: Item) -> Head:
    """The head of a stored item."""
    texts = {name: item[name]["S"] for name in _TEXTS}
    return Head(
        kind=kind,
        id=item["sk"]["S"],
        latest=int(item["latest"]["N"]),
        enabled=item["enabled"]["BOOL"],
        removed=item["removed"]["BOOL"],
        **texts,
    )


def version_item(version: Version, content: str, size: int | None) -> Item:
    """The item of a version; with a `size`, the content of so many bytes lies in the bucket."""
    return {
        **version_key(version.kind, version.id, version.number),
        "digest": {"S": version.digest},
        "created_at": {"S": version.created_at},
        "owner": {"S": version.owner},
        **({"content": {"S": content}} if size is None else {"stored_bytes": {"N": str(size)}}),
    }


def read_version(kind: str, id: str, item: Item) -> Version:
    """The version of a stored item."""
    number = int(item["sk"]["S"].removeprefix(keys.VERSIONS))
    return Version(kind, id, number, item["digest"]["S"], item["created_at"]["S"], item["owner"]["S"])
