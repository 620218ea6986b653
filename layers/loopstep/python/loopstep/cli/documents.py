"""`loopstep sources documents`: what a source's index is made of."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import click

from loopstep.cli import files, outcome, remote, table

FORMS = ("markdown", "text", "html", "csv", "jsonl")
_MEDIA = {
    "markdown": "text/markdown",
    "text": "text/plain",
    "html": "text/html",
    "csv": "text/csv",
    "jsonl": "application/jsonl",
}
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_TOGETHER = 50  # documents of one request
_BYTES_TOGETHER = 900 * 1024  # of its JSON; the API takes 1 MiB

_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document.")


class _File(NamedTuple):
    id: str
    title: str
    data: bytes


@click.group("documents")
def documents_command() -> None:
    """Documents of a knowledge source: put, list, show, remove.

    A DOCUMENT source takes Markdown, text and HTML, a STRUCTURED_DATA source CSV with a header line and JSON Lines, a
    GRAPH source the same with the columns subject, predicate, object and metadata.
    """


@documents_command.command("put")
@click.argument("source")
@click.argument("given", metavar="FILE...", nargs=-1, required=True)
@click.option("--id", "id", help="The document's id, of a single file. Default: the file's name.")
@click.option("--title", help="Shown where a document has no title of its own. Default: the file's name.")
@click.option("--form", type=click.Choice(FORMS), help="Default: what the id's ending says.")
@_JSON
def put(source: str, given: tuple[str, ...], id: str | None, title: str | None, form: str | None, as_json: bool) -> int:
    """Put FILEs into SOURCE, each as the document of its name, in place of the one that is there."""
    if id is not None and len(given) > 1:
        raise click.UsageError("--id names one document: give one FILE.")
    found = [_read(name, id, title) for name in given]
    ids = [each.id for each in found]
    if len(set(ids)) < len(ids):
        double = next(each for each in ids if ids.count(each) > 1)
        raise outcome.Failure(f"two files would be the document {double}", outcome.USAGE, "Put them one by one: --id.")
    api = remote.connect(as_json)
    done: list[dict[str, Any]] = []
    for together in _requests(found, form):
        done += _put(api, source, together, form)
        if not as_json:
            for each in done[len(done) - len(together) :]:
                click.echo(f"{each['id']}: {each['outcome']}")
    if as_json:
        click.echo(json.dumps({"items": done}, ensure_ascii=False))
    return outcome.OK


def _read(name: str, id: str | None, title: str | None) -> _File:
    own = PurePath(name).name if name != "-" else "document"
    data = files.read_document(name)
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        raise outcome.Failure(f"{name} is not UTF-8 (byte {fault.start + 1})", outcome.NO) from None
    return _File(id or _id_of(own), title or own, data)


def _id_of(name: str) -> str:
    """The file's name where it can be an id; else a digest of it with its ending."""
    if _ID.fullmatch(name):
        return name
    ending = PurePath(name).suffix
    kept = ending if re.fullmatch(r"\.[A-Za-z0-9]{1,8}", ending) else ""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16] + kept


def _requests(found: Sequence[_File], form: str | None) -> Iterator[list[_File]]:
    """The files in groups that one request can carry; a large one goes by itself."""
    held: list[_File] = []
    size = 0
    for each in found:
        own = len(json.dumps(_draft(each, form), ensure_ascii=False).encode()) + 2
        if held and (len(held) == _TOGETHER or size + own > _BYTES_TOGETHER):
            yield held
            held, size = [], 0
        held.append(each)
        size += own
    if held:
        yield held


def _put(api: remote.Remote, source: str, together: list[_File], form: str | None) -> list[dict[str, Any]]:
    path = f"/sources/{remote.quoted(source)}/documents"
    if len(together) > 1:
        body = {"documents": [_draft(each, form) for each in together]}
        try:
            items: list[dict[str, Any]] = api.call("POST", path, body)["items"]
        except remote.Refused as refused:
            _name(refused.problem, together)
            raise
        return items
    (only,) = together
    where = f"{path}/{remote.quoted(only.id)}?title={remote.quoted(only.title)}"
    kind = _MEDIA[form] if form else "application/octet-stream"
    return [api.call("PUT", where, raw=only.data, headers={"content-type": kind})]


def _name(problem: dict[str, Any], together: list[_File]) -> None:
    """Let the faults name documents, not places in a request."""
    for error in problem.get("errors") or []:
        found = re.match(r"/documents/(\d+)", str(error.get("path")))
        if found and int(found[1]) < len(together):
            error["path"] = together[int(found[1])].id + error["path"][found.end() :]


def _draft(file: _File, form: str | None) -> dict[str, Any]:
    return {"id": file.id, "title": file.title, "text": file.data.decode(), **({"form": form} if form else {})}


@documents_command.command("list")
@click.argument("source")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@_JSON
def list_(source: str, limit: int, as_json: bool) -> None:
    """List the documents of SOURCE."""
    items = list(remote.connect(as_json).items(f"/sources/{remote.quoted(source)}/documents", limit))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [
        [each["id"], each["form"], f"{each['bytes']:,} B", each["updatedAt"], table.plain(each["title"])]
        for each in items
    ]
    click.echo("\n".join(table.lines(rows)) or f"{source} has no documents.")


@documents_command.command("show")
@click.argument("source")
@click.argument("id")
@_JSON
def show(source: str, id: str, as_json: bool) -> None:
    """Print a document of SOURCE."""
    found = remote.connect(as_json).call("GET", f"/sources/{remote.quoted(source)}/documents/{remote.quoted(id)}")
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else outcome.visible(found["text"]))


@documents_command.command("remove")
@click.argument("source")
@click.argument("id")
@_JSON
def remove(source: str, id: str, as_json: bool) -> None:
    """Take a document out of SOURCE: it is not found any more."""
    path = f"/sources/{remote.quoted(source)}/documents/{remote.quoted(id)}"
    answer = remote.connect(as_json).call("DELETE", path)
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{id}: removed")
