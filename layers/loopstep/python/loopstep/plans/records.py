"""What is stored of a plan: its head, which moves, and its versions, which never change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from loopstep.access.actor import Actor

Json = Any

# The texts of a version. Each goes to the bucket when it is longer than a database item should carry.
TEXTS = ("document", "definition", "graph", "structure", "diagnostics", "secrets", "input", "output", "state", "pins")


def digest(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class PlanHead:
    """The newest version of a plan. `latest` is its number, times are ISO 8601 UTC with milliseconds."""

    name: str
    latest: int
    title: str
    description: str
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A compiled plan about to become a version. `texts` has every name of `TEXTS`; `machine` is an ARN."""

    name: str
    title: str
    description: str
    machine: str
    fences: bool
    texts: dict[str, str]
    document_digest: str = field(default="")
    definition_digest: str = field(default="")
    timeout: int = 0  # seconds that a run may take
    published_by: Actor | None = None


@dataclass(frozen=True, slots=True)
class PlanVersion:
    """One immutable version. `texts` maps a text's name to itself, or to `Stored` where it lies in the bucket.

    `fences` says that the plan has a fan_out, so that its runs carry fence items (ARCHITECTURE §3).
    """

    name: str
    number: int
    title: str
    description: str
    machine: str
    fences: bool
    document_digest: str
    definition_digest: str
    created_at: str
    owner: str
    texts: dict[str, str | Stored]
    timeout: int = 0  # seconds that a run may take, 0 where it is not said
    published_by: Actor | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A text in the bucket: its key and its length in bytes."""

    key: str
    bytes: int


def same_content(version: PlanVersion, draft: Draft) -> bool:
    """Unchanged means the same document, byte by byte, and the same definition (ARCHITECTURE §4)."""
    return (version.document_digest, version.definition_digest) == (draft.document_digest, draft.definition_digest)
