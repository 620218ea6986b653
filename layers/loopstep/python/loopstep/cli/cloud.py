"""`loopstep up`, `down`, `status`: the local cloud."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from loopstep.cli import outcome
from loopstep.cli.local import project as projects

if TYPE_CHECKING:
    from loopstep.cli.local.cloud import State


def say(text: str) -> None:
    """A line of progress, on stderr: stdout is for the answer."""
    click.echo(f"  {text}", err=True)


_MODEL_HELP = "An OpenAI-compatible server that answers for models. Default: a stand-in that says the same each time."


def _base(context: click.Context, parameter: click.Parameter, url: str) -> str:
    """The server's address without the path that every such server has."""
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise click.BadParameter("an address such as http://127.0.0.1:11434 is needed")
    return url.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")


@click.command("up")
@click.option("--port", type=click.IntRange(1, 65535), help="Of the emulator. Default: 4566, or a free one.")
@click.option("--persist", is_flag=True, help="Keep plans, runs and values over a restart.")
@click.option("--strict", is_flag=True, help="With rules of AWS that the emulator leaves out (limits, error names, …).")
@click.option("--model-url", metavar="URL", default="", callback=_base, help=_MODEL_HELP)
@click.option("--json", "as_json", is_flag=True, help="Print what `status --json` prints.")
def up_command(port: int | None, persist: bool, strict: bool, model_url: str, as_json: bool) -> None:
    """Start the local cloud, or bring it up to date.

    Builds template.yaml with SAM and deploys it to an emulator that listens on 127.0.0.1 only. Run it again after a
    change: only what changed is deployed.
    """
    from loopstep.cli.local import cloud
    from loopstep.cli.local.emulator import Mode

    state = cloud.up(projects.need(), say, port, Mode(persist, strict, model_url))
    if as_json:
        click.echo(json.dumps(_status(state["url"], state["apiKey"])))
    else:
        click.echo(f"Local cloud is up: {state['url']}")
        click.echo(f"Console: {console_of(state['url'])}")


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
    """Say whether the local cloud runs, and where. Exit code 8 when no command can use it (0 with --json)."""
    from loopstep.cli.local import cloud

    project = projects.find() if as_json else projects.need()
    state = cloud.running(project) if project else None
    trouble = _trouble(state)
    if as_json:
        click.echo(json.dumps(_status(state["url"] or None, state["apiKey"] or None) if state else _status(None, None)))
        if state and trouble:
            click.echo(trouble, err=True)
        return outcome.OK
    click.echo(trouble or f"running: {state['url'] if state else ''}")
    if state is not None and not trouble:
        click.echo(f"console: {console_of(state['url'])}")
        click.echo(f"AWS services: {state['endpoint']}; event bus: {state['outputs'].get('EventBus')}")
    return outcome.OUT_OF_REACH if trouble else outcome.OK


def _trouble(state: State | None) -> str:
    """Why no command can use the local cloud, "" where one can."""
    from loopstep.cli.local import cloud

    if state is None:
        return "not running (`loopstep up` starts it)"
    if not state["url"]:
        return f"not deployed yet: `loopstep up` is at it, or goes on with it (process {state['pid']})"
    if not cloud.answers(state):
        return f"running, but it does not answer: {state['url']} (process {state['pid']}; `loopstep down` ends it)"
    return ""


def _status(url: str | None, key: str | None) -> dict[str, object]:
    return {"running": url is not None, "url": url, "apiKey": key, "console": console_of(url) if url else None}


def console_of(url: str) -> str:
    """The console of the API at that address."""
    return f"{url}/console/"
