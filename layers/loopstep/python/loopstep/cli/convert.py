"""`loopstep convert --jsonl`: the conversion registry, one line in, one line out (ARCHITECTURE §6)."""

from __future__ import annotations

import sys

import click


@click.command("convert")
@click.option("--jsonl", is_flag=True, required=True, help="Lines {kind, to, mode, value} in, {value, reason} out.")
def convert_command(jsonl: bool) -> None:
    """Convert values read from stdin as JSON lines `{kind, to, mode, value}`. Blank lines are passed over."""
    from loopstep.convert.jsonl import lines

    for line in lines(sys.stdin):
        click.echo(line)
