"""`loopstep symbols`: what a place of a plan may read, for any editor."""

from __future__ import annotations

import json
import re

import click

from loopstep.cli import files, outcome, table


@click.command("symbols")
@click.argument("file")
@click.option("--at", "place", required=True, metavar="LINE:COLUMN", help="The place, both counted from 1.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def symbols_command(file: str, place: str, as_json: bool) -> int:
    """List what a place of the plan FILE ("-": stdin) may read, with types, by the compiler's own rule.

    The document may be broken. Exit code 1 when there is no plan in it.
    """
    match = re.fullmatch(r"([1-9]\d{0,8}):([1-9]\d{0,8})", place)
    if match is None:
        raise click.BadParameter("write it as 12:30", param_hint="--at")
    from loopstep.editor.symbols import symbols_at

    found = symbols_at(files.read_document(file).decode("utf-8", "replace"), int(match[1]), int(match[2]))
    if found is None:
        raise outcome.Failure(f"{file}: there is no plan in it", outcome.NO, f"`loopstep check {file}` says why.")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return outcome.OK
    rows = [
        [one["ref"], (one["type"] or "unknown type") + ("" if one["present"] else ", may be absent")]
        for one in found["symbols"]
    ]
    click.echo("\n".join(table.lines(rows, "")) if rows else "no references may stand here")
    return outcome.OK
