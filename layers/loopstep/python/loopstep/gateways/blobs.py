"""The bucket for bytes: documents of sources, and files too large to hold in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError

from loopstep.gateways.reading import READS, read_object

_CHUNK = 1024 * 1024  # bytes
# Without permission to list a bucket, S3 answers 403 where it could say that there is no such object.
_ABSENT = {"NoSuchKey", "404", "AccessDenied", "403"}


class Blobs:
    """Bytes by key. Reading raises KeyError for a key that is not there. The client is made when first needed."""

    def __init__(self, s3: Callable[[], Any], bucket: str) -> None:
        self._s3, self._bucket = s3, bucket

    def put(self, key: str, data: bytes, media_type: str = "application/octet-stream") -> None:
        """Write the bytes; writing the same again changes nothing."""
        self._s3().put_object(Bucket=self._bucket, Key=key, Body=data, ContentType=media_type)

    def get(self, key: str) -> bytes:
        """The bytes, or KeyError."""
        try:
            return read_object(self._s3(), Bucket=self._bucket, Key=key)[0]
        except ClientError as error:
            raise self._absent(error, key) from None

    def remove(self, key: str) -> None:
        """Delete the object, there or not."""
        self._s3().delete_object(Bucket=self._bucket, Key=key)

    def upload(self, key: str, path: Path) -> None:
        """Write a file."""
        with path.open("rb") as file:
            self._s3().put_object(Bucket=self._bucket, Key=key, Body=file)

    def download(self, key: str, path: Path) -> None:
        """Read into a file, or KeyError. The SDK repeats a request that was lost, but not a body that breaks off."""
        for left in reversed(range(READS)):
            try:
                body = self._s3().get_object(Bucket=self._bucket, Key=key)["Body"]
                with path.open("wb") as file:
                    for chunk in body.iter_chunks(_CHUNK):
                        file.write(chunk)
                return
            except ClientError as error:
                raise self._absent(error, key) from None
            except (HTTPClientError, IncompleteReadError):
                if not left:
                    raise

    def _absent(self, error: ClientError, key: str) -> Exception:
        return KeyError(key) if error.response["Error"]["Code"] in _ABSENT else error
