"""`loopstep up`, `down`, `status`: the local cloud."""

from __future__ import annotations

import json

import click

from loopstep.cli import outcome
from loopstep.cli.local import project as projects


def say(text: str) -> None:
    """A line of progress, on stderr: stdout is for the answer."""
    click.echo(f"  {text}", err=True)


@click.command("up")
@click.option("--port", type=click.IntRange(1, 65535), help="Of the emulator. Default: 4566, or a free one.")
@click.option("--persist", is_flag=True, help="Keep plans, runs and values over a restart.")
@click.option("--strict", is_flag=True, help="With rules of AWS that the emulator leaves out (limits, error names, …).")
@click.option("--json", "as_json", is_flag=True, help="Print what `status --json` prints.")
def up_command(port: int | None, persist: bool, strict: bool, as_json: bool) -> None:
    """Start the local cloud, or bring it up to date.

    Builds template.yaml with SAM and deploys it to an emulator that listens on 127.0.0.1 only. Run it again after a
    change: only what changed is deployed.
    """
    from loopstep.cli.local import cloud
    from loopstep.cli.local.emulator import Mode

    state = cloud.up(projects.need(), say, port, Mode(persist, strict))
    if as_json:
        click.echo(json.dumps(_status(state["url"], state["apiKey"])))
    else:
        click.echo(f"Local cloud is up: {state['url']}")


@click.command("down")
@click.option("--purge", is_flag=True, help="Also remove kept data, builds and logs.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"stopped"}, whether it ran.')
def down_command(purge: bool, as_json: bool) -> None:
    """Stop the local cloud."""
    from loopstep.cli.local import cloud

    stopped = cloud.down(projects.need(), purge, say)
    if as_json:
        click.echo(json.dumps({"stopped": stopped}))
    else:
        click.echo("Local cloud stopped." if stopped else "The local cloud was not running.")


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="One JSON document: running, url, apiKey, console.")
def status_command(as_json: bool) -> int:
    """Say whether the local cloud runs, and where. Exit code 8 when it does not (0 with --json)."""
    from loopstep.cli.local import cloud

    project = projects.find() if as_json else projects.need()
    state = cloud.read(project) if project else None
    answer = _status(state["url"], state["apiKey"]) if state else _status(None, None)
    if as_json:
        click.echo(json.dumps(answer))
        return outcome.OK
    click.echo(f"running: {answer['url']}" if state else "not running (`loopstep up` starts it)")
    return outcome.OK if state else outcome.OUT_OF_REACH


def _status(url: str | None, key: str | None) -> dict[str, object]:
    return {"running": url is not None, "url": url, "apiKey": key, "console": None}
