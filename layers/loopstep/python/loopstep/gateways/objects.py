"""The bucket for texts that are too large for a database item."""

from __future__ import annotations

from typing import Any, Protocol

from loopstep.gateways.reading import read_object


class Objects(Protocol):
    """Texts by key. `get` raises KeyError for a key that is not there."""

    def put(self, key: str, text: str) -> None: ...

    def get(self, key: str) -> str: ...

    def url(self, key: str, seconds: int) -> str: ...


class S3Objects:
    """Texts as UTF-8 objects of one bucket; encryption and expiry are the bucket's own."""

    def __init__(self, s3: Any, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def put(self, key: str, text: str) -> None:
        """Write the text; writing the same again changes nothing."""
        body = text.encode("utf-8")
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType="application/json")

    def get(self, key: str) -> str:
        """The text, or KeyError."""
        try:
            return read_object(self._s3, Bucket=self._bucket, Key=key)[0].decode("utf-8")
        except self._s3.exceptions.NoSuchKey:
            raise KeyError(key) from None

    def url(self, key: str, seconds: int) -> str:
        """A link that reads the object without credentials for that many seconds."""
        parameters = {"Bucket": self._bucket, "Key": key}
        link: str = self._s3.generate_presigned_url("get_object", Params=parameters, ExpiresIn=seconds)
        return link
