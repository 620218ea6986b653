"""`loopstep doctor`: what is wrong with this machine's setup or with a stack, and what to do about it."""

from __future__ import annotations

import json

import click

from loopstep.cli import outcome, table
from loopstep.cli.examination import FAILED, SKIPPED, WARNING, Finding

_SHOWN = {FAILED: "✗", WARNING: "!", SKIPPED: "·"}
_COLOURS = {FAILED: "failed", WARNING: "cancelled"}


@click.command("doctor")
@click.option("--run", "runs", is_flag=True, help="Also publish and run a small plan (`loopstep_doctor`).")
@click.option("--model", is_flag=True, help="Also ask the stack's model, by a run of `loopstep_doctor_model`.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"ok", "checks": [{name, status, …}]}.')
def doctor_command(runs: bool, model: bool, as_json: bool) -> int:
    """Look for what is wrong: here, and with the stack of LOOPSTEP_URL, else the local cloud.

    Exit code 1 when a check failed, 8 when the stack does not answer; warnings are none.
    """
    from loopstep.cli.examine_here import examine_here
    from loopstep.cli.examine_remote import examine_remote

    found: list[Finding] = []
    for each in (*examine_here(), *examine_remote(runs, model)):
        found.append(each)
        if not as_json:
            _show(each)
    failed = [each for each in found if each.status == FAILED]
    if as_json:
        click.echo(json.dumps({"ok": not failed, "checks": [each._asdict() for each in found]}, ensure_ascii=False))
    elif not failed:
        click.echo("\nNothing is wrong.")
    if any(each.name == "api" for each in failed):
        return outcome.OUT_OF_REACH
    return outcome.NO if failed else outcome.OK


def _show(each: Finding) -> None:
    mark = _SHOWN.get(each.status, "✓")
    click.echo(table.plain(f"{mark} {each.name}: {each.detail}"))
    if each.hint:
        click.echo(table.plain(f"    {each.hint}"))
