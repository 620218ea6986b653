"""What is stored of a source's documents: a head that moves with every change, the changes, and each document."""

from __future__ import annotations

from typing import NamedTuple

MOST_DOCUMENTS = 20_000  # of a source
MOST_SOURCE_BYTES = 32 * 1024 * 1024  # of a source's documents together; its index has some three times as many
MOST_OF_A_CHANGE = 50  # documents that are put or removed at once: each is an item of one transaction


class Document(NamedTuple):
    """A document as it stands: `key` is where its bytes lie, `revision` the change that put it there.

    `kind` is that of the source when it was read, `form` one of `reading.FORMS`.
    """

    id: str
    title: str
    kind: str
    form: str
    key: str
    digest: str
    bytes: int
    revision: int
    updated_at: str


class Head(NamedTuple):
    """How many changes there were, and what they left."""

    revision: int = 0
    documents: int = 0
    bytes: int = 0


class Changed(NamedTuple):
    """A document by a change: where its bytes lie (None: it was removed), and what is needed to read them."""

    id: str
    key: str | None = None
    title: str = ""
    kind: str = ""
    form: str = ""
    bytes: int = 0


class Change(NamedTuple):
    """All documents of one change; changes are numbered from 1 without a gap."""

    revision: int
    documents: tuple[Changed, ...]


class Snapshot(NamedTuple):
    """An index as a file in the bucket: what it holds, which format it has, and its length in bytes."""

    revision: int
    format: int
    key: str
    bytes: int
