"""Objects read whole: the SDK repeats a request that was lost, but not a body that breaks off on the way."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import HTTPClientError, IncompleteReadError

READS = 4


def read_object(s3: Any, **request: Any) -> tuple[bytes, dict[str, Any]]:
    """The body of a GetObject, and the rest of the reply. Raises what the SDK raises, a broken body after READS."""
    for left in reversed(range(READS)):
        reply: dict[str, Any] = s3.get_object(**request)
        try:
            body: bytes = reply["Body"].read()
            return body, reply
        except (HTTPClientError, IncompleteReadError):
            if not left:
                raise
    raise AssertionError("not reached")
