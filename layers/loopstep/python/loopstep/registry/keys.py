"""Keys of registered things in the plans table and the bucket (ARCHITECTURE §4).

registry#<kind>   <id>        the head; one partition a kind, so that a list is a consistent read
<kind>#<id>       v#000001    the versions, in order
"""

from __future__ import annotations

VERSIONS = "v#"
MAX_VERSION = 999_999  # six digits keep the sort key in order


def heads(kind: str) -> str:
    """The partition key of the heads of one kind; their sort key is the id."""
    return f"registry#{kind}"


def partition(kind: str, id: str) -> str:
    """The partition key of one thing's versions."""
    return f"{kind}#{id}"


def version(number: int) -> str:
    """The sort key of one version, 1-based."""
    return f"{VERSIONS}{number:06d}"


def content_object(kind: str, id: str, digest: str) -> str:
    """The bucket key of a large content; named by it, so that writing it twice changes nothing."""
    return f"registry/{kind}/{id}/{digest}"
