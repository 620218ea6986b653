"""`loopstep demo` (`make demo`): the whole way of one plan, for a person to watch, on a local cloud of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from loopstep.cli import data_flow, outcome
from loopstep.cli.cloud import say
from loopstep.cli.local import cloud
from loopstep.cli.local import project as projects
from loopstep.cli.publish import publish
from loopstep.cli.remote import Remote
from loopstep.cli.report import report
from loopstep.cli.run import follow
from loopstep.cli.runs import fetch
from loopstep.compiler.compile import compile
from loopstep.services.describe_flow import describe_flow

EXAMPLE = Path("examples", "data_flow.yaml")
INPUT = {"request": "Order 17: two lamps, 送到上海", "dispatch_scope": "team/dispatch"}


@click.command("demo")
@click.option("--canvas", is_flag=True, help="A canvas with retrieval, a condition and a scripted model instead.")
def demo_command(canvas: bool) -> int:
    """Start a local cloud, publish examples/data_flow.yaml, run it through the REST API, show everything, stop."""
    if canvas:
        from loopstep.cli.demo_canvas import run_demo

        return run_demo()
    project = replace(projects.need(), instance="demo")
    _title("1. The template that goes to AWS, deployed to an emulator on this machine")
    with cloud.session(project, say) as state:
        api = Remote(state["url"], state["apiKey"])
        _title(f"2. {EXAMPLE} published")
        published = publish(api, str(project.root / EXAMPLE))
        _show_machine(api, published)
        _title("   Its data flow, as the compiler knows it (loopstep explain)")
        _show_flow((project.root / EXAMPLE).read_bytes())
        _title("3. A run, started through the REST API")
        click.echo(f"POST /plans/{published['name']}/runs  {json.dumps({'input': INPUT}, ensure_ascii=False)}")
        started = api.call("POST", f"/plans/{published['name']}/runs", {"input": INPUT})
        run = follow(api, started["runId"])
        _title("4. What is recorded of it")
        click.echo(report(fetch(api, run["runId"])))
    _title("5. The emulator is stopped")
    return outcome.OK if run["status"] == "succeeded" else outcome.NO


def _show_machine(api: Remote, published: dict[str, Any]) -> None:
    path = f"/plans/{published['name']}/versions/{published['version']}"
    definition = api.call("GET", f"{path}/definition")
    click.echo(f"plan {published['name']} version {published['version']}")
    click.echo(f"state machine {published['machineArn'].rpartition(':')[2]}, {len(json.dumps(definition))} bytes:")
    for name, state in definition["States"].items():
        targets = [state.get("Next"), state.get("Default"), *(rule["Next"] for rule in state.get("Choices", ()))]
        click.echo(f"  {name} ({state['Type']})" + "".join(f" → {target}" for target in targets if target), nl=False)
        click.echo("".join(f", on failure → {catch['Next']}" for catch in state.get("Catch", ())))


def _show_flow(document: bytes) -> None:
    compiled = compile(document)
    assert compiled.plan is not None, "it has been published"
    click.echo(data_flow.text(describe_flow(compiled.plan, compiled.flows)))


def _title(text: str) -> None:
    click.echo(f"\n{click.style(text, bold=True)}")
