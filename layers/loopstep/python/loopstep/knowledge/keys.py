"""Keys of a source's documents in the plans table and the bucket.

knowledge#<source>   head · snapshot · change#0000000001 … · doc#<document>
source/<source>/     document/<random text> · index/<revision>-<random text>
"""

from __future__ import annotations

HEAD = "head"
SNAPSHOT = "snapshot"
CHANGES = "change#"
AFTER_CHANGES = "change$"  # the character after `#`: sort keys of changes are below
DOCUMENTS = "doc#"
AFTER_DOCUMENTS = "doc$"


def partition(source: str) -> str:
    """The partition key of everything about a source's documents."""
    return f"knowledge#{source}"


def change(revision: int) -> str:
    """The sort key of a change."""
    return f"{CHANGES}{revision:010d}"


def document(id: str) -> str:
    """The sort key of a document."""
    return f"{DOCUMENTS}{id}"


def document_object(source: str, owner: str, place: int) -> str:
    """The bucket key of a document's bytes: a new one for each put, so that no reader finds others under an old key."""
    return f"source/{source}/document/{owner}-{place}"


def index_object(source: str, revision: int, owner: str) -> str:
    """The bucket key of an index."""
    return f"source/{source}/index/{revision:010d}-{owner}"
