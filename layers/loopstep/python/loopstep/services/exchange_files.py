"""Move files into and out of a run's working directory: the bytes go by presigned links, never through the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from loopstep.gateways.files import LINK_SECONDS, File, Link
from loopstep.runs.records import CREATED, RUNNING
from loopstep.runtime.working_directory import NameTaken, TooLarge, UnsafePath, admit, safe_path
from loopstep.services.refusals import Conflicting, Malformed, Unfit, Unknown
from loopstep.services.running import Running

OPEN = (CREATED, RUNNING)


def list_run_files(running: Running, run: str) -> dict[str, Any]:
    """`{items, next}` with every file, by path; `.agentignore` hides nothing here. Raises Unknown `run.unknown`."""
    running.head(run)
    return {"items": [_shown(each) for each in running.files.listing(run)], "next": None}


def link_upload(running: Running, run: str, path: str, size: int) -> dict[str, Any]:
    """The request that writes a file of exactly `size` bytes, in place of what stands there.

    Raises Unknown `run.unknown`, Malformed `file.unsafe_path`, Conflicting `run.ended` and `file.name_taken`, Unfit
    `file.limit` for more bytes or files than a working directory may hold.
    """
    place = _place(path)
    _must_be_open(running, run)
    with _refusing():
        admit(running.files.listing(run), place, size, running.files.caps)
    return _linked(place, running.files.upload(run, place, size))


def link_download(running: Running, run: str, path: str) -> dict[str, Any]:
    """The request that reads a file. Raises Unknown `run.unknown`, `file.unknown`, Malformed `file.unsafe_path`."""
    place = _found(running, run, path)
    return _linked(place, running.files.download(run, place))


def remove_file(running: Running, run: str, path: str) -> dict[str, Any]:
    """Take a file away: `{path}`. Raises what `link_download` raises, and Conflicting `run.ended`."""
    place = _found(running, run, path)
    _must_be_open(running, run)
    running.files.remove(run, place)
    return {"path": place}


def _place(path: str) -> str:
    with _refusing():
        return safe_path(path)


def _found(running: Running, run: str, path: str) -> str:
    place = _place(path)
    running.head(run)
    if running.files.find(run, place) is None:
        raise Unknown("file.unknown", "There is no such file in the run's working directory.")
    return place


def _must_be_open(running: Running, run: str) -> None:
    status = running.head(run).status
    if status not in OPEN:
        detail = f"The run has ended as {status}; its files stay as they are."
        raise Conflicting("run.ended", detail, runStatus=status)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except NameTaken as taken:
        raise Conflicting("file.name_taken", _sentence(taken)) from None
    except UnsafePath as unsafe:
        raise Malformed("file.unsafe_path", _sentence(unsafe)) from None
    except TooLarge as large:
        raise Unfit("file.limit", _sentence(large)) from None


def _sentence(fault: Exception) -> str:
    text = str(fault)
    return f"{text[:1].upper()}{text[1:]}."


def _shown(file: File) -> dict[str, Any]:
    return {"path": file.path, "bytes": file.bytes, "modifiedAt": file.modified}


def _linked(place: str, link: Link) -> dict[str, Any]:
    over = datetime.now(UTC) + timedelta(seconds=LINK_SECONDS)
    expires = over.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"path": place, "method": link.method, "url": link.url, "headers": link.headers, "expiresAt": expires}
