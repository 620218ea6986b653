"""Files between this machine and a run's working directory, by the links that the API gives."""

from __future__ import annotations

import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loopstep.cli import outcome, remote
from loopstep.types.forms import is_relative_path, normal_path

AT_ONCE = 8
SECONDS = 300  # of one transfer


def upload(api: remote.Remote, run: str, path: str, body: bytes) -> str:
    """Write a file of the run; the path that it has there. Raises Refused and Failure."""
    link = api.call("PUT", _place(run, path), {"bytes": len(body)})
    _move(link, body)
    return str(link["path"])


def download(api: remote.Remote, run: str, path: str) -> bytes:
    """The bytes of a file of the run. Raises Refused and Failure."""
    return _move(api.call("GET", _place(run, path)), None)


def remove(api: remote.Remote, run: str, path: str) -> str:
    """Take a file of the run away; its path. Raises Refused and Failure."""
    return str(api.call("DELETE", _place(run, path))["path"])


def upload_all(api: remote.Remote, run: str, found: dict[str, Path], say: Callable[[str], None]) -> None:
    """Write the files of `files_below`, some at a time; says each. The first failure ends it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        work = [pool.submit(_upload_file, api, run, path, file) for path, file in found.items()]
        try:
            for each in work:
                say(f"uploaded {each.result()}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _upload_file(api: remote.Remote, run: str, path: str, file: Path) -> str:
    return upload(api, run, path, read(file))


def files_below(folder: str) -> dict[str, Path]:
    """The regular files below a folder, by the path that each gets in the working directory.

    Links are passed over: what they lead to may lie elsewhere. Raises Failure for a name that no run takes.
    """
    root = Path(folder)
    if not root.is_dir():
        raise outcome.Failure(f"{folder} is no folder", outcome.USAGE)
    found: dict[str, Path] = {}
    for file in sorted(_regular(root)):
        path = safe(file.relative_to(root).as_posix())
        if path in found:
            raise outcome.Failure(f"{found[path]} and {file} would be one file", outcome.USAGE)
        found[path] = file
    return found


def safe(path: str) -> str:
    """The one spelling of a path of a working directory. Raises Failure for one that no run takes."""
    if not is_relative_path(path):
        raise outcome.Failure(
            f"{path} is no safe path of a working directory",
            outcome.USAGE,
            "It is relative, as docs/report.md, without .., backslash, control characters and percent codes.",
        )
    return normal_path(path)


def read(file: Path) -> bytes:
    """The bytes of a file of this machine. Raises Failure."""
    try:
        return file.read_bytes()
    except OSError as fault:
        raise outcome.Failure(f"{file}: {fault.strerror or fault}", outcome.USAGE) from None


def _regular(folder: Path) -> Iterator[Path]:
    def broken(fault: OSError) -> None:
        raise outcome.Failure(f"{fault.filename}: {fault.strerror or fault}", outcome.USAGE)

    for place, _, names in os.walk(folder, onerror=broken):
        yield from (file for name in names if not (file := Path(place, name)).is_symlink() and file.is_file())


def _place(run: str, path: str) -> str:
    return f"/runs/{remote.quoted(run)}/files/{urllib.parse.quote(safe(path))}"


def _move(link: dict[str, Any], body: bytes | None) -> bytes:
    """Do what a link says; the bytes that come back. Its address is not shown: it is as good as a key."""
    url = str(link["url"])
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise outcome.Failure("the API gave no link that can be followed", outcome.OUT_OF_REACH)
    given = link["headers"].items()
    headers = {name: text for name, text in given if name.lower() != "content-length"}  # that is the body's own
    headers |= {} if body is None else {"Content-Type": "application/octet-stream"}
    request = urllib.request.Request(url, data=body, method=str(link["method"]), headers=headers)
    try:
        with remote.opener(url).open(request, timeout=SECONDS) as answer:
            data: bytes = answer.read()
            return data
    except urllib.error.HTTPError as refused:
        raise outcome.Failure(f"{link['path']} was not moved: HTTP {refused.code}", outcome.OUT_OF_REACH) from None
    except OSError as fault:
        reason = getattr(fault, "reason", fault)
        raise outcome.Failure(f"{link['path']} was not moved: {reason}", outcome.OUT_OF_REACH) from None
