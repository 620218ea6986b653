"""Keys of the plans table and the bucket (ARCHITECTURE §4).

One partition a plan: `plan#<name>` with `head` and `v#000001`, `v#000002`, … in order of publishing.
"""

from __future__ import annotations

HEAD = "head"
KIND = "plan"  # the partition of the `by_kind` index that lists plan heads
VERSIONS = "v#"
MAX_VERSION = 999_999  # six digits keep the sort key in order


def partition(plan: str) -> str:
    """The partition key of everything about one plan."""
    return f"plan#{plan}"


def version(number: int) -> str:
    """The sort key of one version, 1-based."""
    return f"{VERSIONS}{number:06d}"


def document_object(plan: str, field: str, digest: str) -> str:
    """The bucket key of a large text of a version; named by its content, so that writing it twice changes nothing."""
    return f"plan/{plan}/{field}/{digest}"
