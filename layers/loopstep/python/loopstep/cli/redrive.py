"""`loopstep redrive`: let a run go on from where it failed, and follow it."""

from __future__ import annotations

import json

import click

from loopstep.cli import arguments, outcome, remote, table
from loopstep.cli.run import follow_to_end


@click.command("redrive")
@click.argument("run")
@click.option("--watch", is_flag=True, help="Follow the run to its end.")
@click.option(
    "--timeout", type=arguments.Seconds(), help="Seconds to follow; exit code 7 when it still runs. Means --watch."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document: the run.")
def redrive_command(run: str, watch: bool, timeout: float | None, as_json: bool) -> int:
    """Let RUN, which failed or timed out, go on from where it failed. What is complete is not done again.

    Exit code 6 when there is nothing to go on with; with --watch that of the run, as for `loopstep run`.
    """
    api = remote.connect(as_json)
    answer = api.call("POST", f"/runs/{remote.quoted(run)}/redrive")
    if watch or timeout is not None:
        return follow_to_end(api, run, timeout, as_json)
    again = f"{run}: {table.coloured(answer['status'])} (epoch {answer['epoch']})"
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else again)
    return outcome.OK
