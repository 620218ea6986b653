"""Working directories of runs in the bucket: the file `path` of a run is the object `files/<run>/<path>` (CANVAS §3.7).

Paths come here checked and in their one spelling (`runtime.working_directory`); nothing here decides what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from botocore.exceptions import ClientError

from loopstep.gateways.reading import read_object

PREFIX = "files/"
LINK_SECONDS = 300  # a presigned link is good for so long


class Caps(NamedTuple):
    """What one working directory may hold: files, bytes of one, bytes of all together."""

    files: int = 1000
    file_bytes: int = 10 * 1024 * 1024
    run_bytes: int = 100 * 1024 * 1024


class File(NamedTuple):
    """A file that is there; `modified` is an RFC 3339 text in UTC."""

    path: str
    bytes: int
    modified: str = ""


class Link(NamedTuple):
    """A request that moves a file without credentials for LINK_SECONDS; the headers have to be sent as they are."""

    method: str
    url: str
    headers: dict[str, str]


class Files(Protocol):
    """Files by run and path. A run without files has an empty directory."""

    @property
    def caps(self) -> Caps: ...

    def listing(self, run: str) -> list[File]: ...

    def find(self, run: str, path: str) -> File | None: ...

    def read(self, run: str, path: str, most: int) -> bytes: ...

    def write(self, run: str, path: str, body: bytes) -> None: ...

    def remove(self, run: str, path: str) -> None: ...

    def upload(self, run: str, path: str, size: int) -> Link: ...

    def download(self, run: str, path: str) -> Link: ...


def caps_of_environment() -> Caps:
    """FILES_PER_RUN, BYTES_PER_FILE and FILE_BYTES_PER_RUN, where they are set."""
    names = ("FILES_PER_RUN", "BYTES_PER_FILE", "FILE_BYTES_PER_RUN")
    return Caps(*(int(os.environ.get(name) or default) for name, default in zip(names, Caps(), strict=True)))


class S3Files:
    """The files in one bucket. `s3` gives the client and is called at the first request.

    Whether a file is there is asked by listing: without leave to list the whole bucket, S3 answers a GET of what is not
    there as it answers one that is not allowed.
    """

    def __init__(self, s3: Callable[[], Any], bucket: str, caps: Caps) -> None:
        self._s3, self._bucket, self._caps = s3, bucket, caps

    @property
    def caps(self) -> Caps:
        """What one directory may hold."""
        return self._caps

    def listing(self, run: str) -> list[File]:
        """Return every file of a run, by path (in code points)."""
        prefix = _key(run, "")
        found: list[File] = []
        token: dict[str, str] = {}
        while True:
            page = self._s3().list_objects_v2(Bucket=self._bucket, Prefix=prefix, **token)
            found += [_file(each, prefix) for each in page.get("Contents", ())]
            if not page.get("IsTruncated"):
                return sorted(found)
            token = {"ContinuationToken": page["NextContinuationToken"]}

    def find(self, run: str, path: str) -> File | None:
        """Return the file at exactly this path, None where there is none."""
        key = _key(run, path)
        page = self._s3().list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        first = next(iter(page.get("Contents", ())), None)
        return _file(first, _key(run, "")) if first is not None and first["Key"] == key else None

    def read(self, run: str, path: str, most: int) -> bytes:
        """Return the first `most` bytes of a file; raises KeyError where it is gone."""
        place = {"Bucket": self._bucket, "Key": _key(run, path), "Range": f"bytes=0-{max(most, 1) - 1}"}
        try:
            return read_object(self._s3(), **place)[0][:most]
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "InvalidRange":  # it has become empty
                return b""
            if code in ("NoSuchKey", "AccessDenied"):
                raise KeyError(path) from None
            raise

    def write(self, run: str, path: str, body: bytes) -> None:
        """Write a file, in place of what stands there."""
        self._s3().put_object(Bucket=self._bucket, Key=_key(run, path), Body=body)

    def remove(self, run: str, path: str) -> None:
        """Take a file away; nothing happens where there is none."""
        self._s3().delete_object(Bucket=self._bucket, Key=_key(run, path))

    def upload(self, run: str, path: str, size: int) -> Link:
        """Return the request that writes a file of exactly `size` bytes: its length is signed too."""
        place = {"Bucket": self._bucket, "Key": _key(run, path), "ContentLength": size}
        url = self._s3().generate_presigned_url("put_object", Params=place, ExpiresIn=LINK_SECONDS)
        return Link("PUT", url, {"Content-Length": str(size)})

    def download(self, run: str, path: str) -> Link:
        """Return the request that reads a file. It comes as an attachment: no browser shows it as a page."""
        place = {
            "Bucket": self._bucket,
            "Key": _key(run, path),
            "ResponseContentType": "application/octet-stream",
            "ResponseContentDisposition": "attachment",
        }
        url = self._s3().generate_presigned_url("get_object", Params=place, ExpiresIn=LINK_SECONDS)
        return Link("GET", url, {})


def _key(run: str, path: str) -> str:
    return f"{PREFIX}{run}/{path}"


def _file(entry: dict[str, Any], prefix: str) -> File:
    modified = entry["LastModified"].strftime("%Y-%m-%dT%H:%M:%SZ")
    return File(entry["Key"].removeprefix(prefix), entry["Size"], modified)
