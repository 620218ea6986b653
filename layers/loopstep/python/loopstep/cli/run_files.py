"""`loopstep files`: the working directory of a run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from loopstep.cli import outcome, remote, table, transfer


@click.group("files")
def files_command() -> None:
    """List, upload, download and remove the files of a run's working directory."""


@files_command.command("list")
@click.argument("run_id", metavar="RUN")
@click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
def list_command(run_id: str, as_json: bool) -> None:
    """List the files of RUN, those that its .agentignore hides from nodes too."""
    items = list(remote.connect(as_json).items(f"/runs/{remote.quoted(run_id)}/files"))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [[table.plain(each["path"]), f"{each['bytes']:,}", each["modifiedAt"]] for each in items]
    click.echo("\n".join(table.lines(rows)) or "The run has no files.")


@files_command.command("put")
@click.argument("run_id", metavar="RUN")
@click.argument("source", metavar="FILE|FOLDER")
@click.option("--as", "place", metavar="PATH", help="Where FILE comes to stand. Default: its name.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"paths"}.')
def put_command(run_id: str, source: str, place: str | None, as_json: bool) -> None:
    """Upload FILE, or what is in FOLDER, into the working directory of RUN, as long as that is not over."""
    file = Path(source)
    if file.is_dir() and place is not None:
        raise outcome.Failure("--as names one file", outcome.USAGE)
    found = transfer.files_below(source) if file.is_dir() else {transfer.safe(place or file.name): file}
    transfer.upload_all(remote.connect(as_json), run_id, found, lambda line: click.echo(f"  {line}", err=True))
    if as_json:
        click.echo(json.dumps({"paths": list(found)}, ensure_ascii=False))


@files_command.command("get")
@click.argument("run_id", metavar="RUN")
@click.argument("path")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write it here instead of stdout.")
def get_command(run_id: str, path: str, output: str | None) -> None:
    """Download the file at PATH of the working directory of RUN."""
    body = transfer.download(remote.connect(), run_id, path)
    if output is None:
        sys.stdout.buffer.write(body)
        return
    try:
        Path(output).write_bytes(body)
    except OSError as fault:
        raise outcome.Failure(f"{output}: {fault.strerror or fault}", outcome.USAGE) from None


@files_command.command("remove")
@click.argument("run_id", metavar="RUN")
@click.argument("path")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"path"}.')
def remove_command(run_id: str, path: str, as_json: bool) -> None:
    """Take the file at PATH away from RUN, as long as that is not over."""
    place = transfer.remove(remote.connect(as_json), run_id, path)
    click.echo(json.dumps({"path": place}, ensure_ascii=False) if as_json else f"removed {place}")
