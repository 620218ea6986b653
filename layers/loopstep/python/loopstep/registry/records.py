"""What is stored of a registered thing: its head, which moves, and its versions, which never change."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

SKILL, AGENT, SOURCE, SCOPE = "skill", "agent", "source", "scope"
KINDS = (SKILL, AGENT, SOURCE, SCOPE)

DOCUMENT, STRUCTURED_DATA, GRAPH = "DOCUMENT", "STRUCTURED_DATA", "GRAPH"
SOURCE_KINDS = (DOCUMENT, STRUCTURED_DATA, GRAPH)


class Entry(NamedTuple):
    """One immutable version: JSON data, for a skill or an agent

    `{"name", "description", "instructions", "inputs", "outputs", "skills", "sources", "tools", "model"}`, for a source
    `{"name", "description", "kind", "managed", "enabled"}`, for a scope `{"description", "maxPerRun"}`. Every key of
    its kind is there; `registry.content` says what each holds.
    """

    kind: str
    id: str
    version: int
    content: dict[str, Any]


class Head(NamedTuple):
    """The newest version in brief. `removed`: no new plan may use it, versions stay readable for those that pin one.

    `label` is a source's kind, else "". `owner` is the random text of the request that last wrote the head. Times are
    ISO 8601 UTC with milliseconds.
    """

    kind: str
    id: str
    latest: int
    digest: str
    title: str
    description: str
    label: str
    enabled: bool
    removed: bool
    owner: str
    created_at: str
    updated_at: str


class Version(NamedTuple):
    """A version as lists show it."""

    kind: str
    id: str
    number: int
    digest: str
    created_at: str
    owner: str


def digest(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
