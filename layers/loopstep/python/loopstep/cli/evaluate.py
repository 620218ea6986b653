"""`loopstep eval --jsonl`: expressions outside any plan, one line in, one line out (ARCHITECTURE §6)."""

from __future__ import annotations

import sys

import click


@click.command("eval")
@click.option("--jsonl", is_flag=True, required=True, help="Lines {expr, data, types} in, {value} or {error} out.")
@click.option("--jsonata", is_flag=True, help="Print the condition that the state machine would hold instead.")
def eval_command(jsonl: bool, jsonata: bool) -> None:
    """Evaluate expressions read from stdin as JSON lines `{expr, data, types}`.

    `data` is by root, as {"input": {"n": 1}}; `types` are Schemas in the same shape, by default those of the values.
    """
    from loopstep.expressions.jsonl import lines

    for line in lines(sys.stdin, jsonata):
        click.echo(line)
