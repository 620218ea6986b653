"""`loopstep run`: start a run and follow it to its end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from loopstep.cli import arguments, files, outcome, remote, table, transfer
from loopstep.cli.publish import publish, show_diagnostics
from loopstep.cli.report import report
from loopstep.cli.runs import activations_of, fetch
from loopstep.cli.timeline import progress

ENDED = ("succeeded", "failed", "cancelled", "timed_out")
LOOK_EVERY = 1  # seconds of one long poll while following


@click.command("run")
@click.argument("plan")
@click.option("--input", "given", default="{}", metavar="JSON|@file", help="The input, as JSON or @file (@-: stdin).")
@click.option("--name", callback=arguments.not_empty, help="Of the plan, where PLAN is a file.")
@click.option("--version", type=click.IntRange(1), help="Of the plan. Default: the latest.")
@click.option("--files", "folder", metavar="FOLDER", help="What is in it goes into the working directory first.")
@click.option("--watch", is_flag=True, help="Follow the run to its end.")
@click.option(
    "--timeout", type=arguments.Seconds(), help="Seconds to follow; exit code 7 when it still runs. Means --watch."
)
@click.option(
    "--idempotency-key",
    callback=arguments.idempotency_key,
    help="The same key with the same input starts nothing new.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document: the run.")
def run_command(
    plan: str,
    given: str,
    name: str | None,
    version: int | None,
    folder: str | None,
    watch: bool,
    timeout: float | None,
    idempotency_key: str | None,
    as_json: bool,
) -> int:
    """Start a run of PLAN, a published plan's name or a file, plan or canvas (which is published first).

    Exit code with --watch: 0 succeeded, 1 failed, cancelled or timed out, 7 still running after --timeout.
    """
    body = {"input": files.read_object(given), **({"version": version} if version else {})}
    found = transfer.files_below(folder) if folder is not None else None
    api = remote.connect(as_json)
    if _is_file(plan):
        plan = _published(api, plan, name)
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    body |= {"hold": True} if found is not None else {}
    started = api.call("POST", f"/plans/{remote.quoted(plan)}/runs", body, headers=headers)
    if found is not None and started["status"] == "created":
        started = _with_files(api, started["runId"], found)
    if not watch and timeout is None:
        click.echo(json.dumps(started, ensure_ascii=False) if as_json else started["runId"])
        return outcome.OK
    return follow_to_end(api, started["runId"], timeout, as_json)


def _published(api: remote.Remote, file: str, name: str | None) -> str:
    """The name of the plan that a file has been published as; what there is to say about it goes to stderr."""
    try:
        answer = publish(api, file, name)
    except remote.Refused as refused:
        show_diagnostics(file, refused.problem)
        raise
    show_diagnostics(file, answer)
    return str(answer["name"])


def _with_files(api: remote.Remote, run_id: str, found: dict[str, Path]) -> Any:
    """Start a held run once its files are there; what the API says of the start."""
    try:
        transfer.upload_all(api, run_id, found, lambda line: click.echo(f"  {line}", err=True))
    except BaseException:
        click.echo(f"The run is held: `loopstep cancel {run_id}` ends it.", err=True)
        raise
    return api.call("POST", f"/runs/{remote.quoted(run_id)}/start")


def _is_file(plan: str) -> bool:
    return plan == "-" or Path(plan).suffix in (".yaml", ".yml", ".json") or Path(plan).is_file()


def follow_to_end(api: remote.Remote, run_id: str, timeout: float | None, as_json: bool) -> int:
    """Follow the run, then print it; an exit code."""
    try:
        run = follow(api, run_id, timeout)
    except KeyboardInterrupt:
        click.echo(f"The run goes on: loopstep show {run_id}", err=True)
        return outcome.INTERRUPTED
    if as_json:
        click.echo(json.dumps(run, ensure_ascii=False))
    else:
        click.echo(report(fetch(api, run_id)))
    if run["status"] not in ENDED:
        return outcome.STILL_RUNNING
    return outcome.OK if run["status"] == "succeeded" else outcome.NO


def follow(api: remote.Remote, run_id: str, timeout: float | None = None) -> dict[str, Any]:
    """Say on stderr what happens until the run ends or the seconds are over; the run as it is then."""
    end = None if timeout is None else time.monotonic() + timeout
    click.echo(f"run {run_id}", err=True)
    told: set[str] = set()
    while True:
        run: dict[str, Any] = api.call("GET", f"/runs/{remote.quoted(run_id)}?wait={LOOK_EVERY}")
        _tell(api, run, told)
        if run["status"] in ENDED or (end is not None and time.monotonic() >= end):
            return run


def _tell(api: remote.Remote, run: dict[str, Any], told: set[str]) -> None:
    """Each ended activation once."""
    fresh = [a for a in activations_of(api, run["runId"]) if a["id"] not in told and a.get("endedAt")]
    told.update(a["id"] for a in fresh)
    if fresh:
        click.echo("\n".join(progress(run, fresh)), err=True)
    if run["status"] in ENDED:
        click.echo(f"  {table.coloured(run['status'])}", err=True)
