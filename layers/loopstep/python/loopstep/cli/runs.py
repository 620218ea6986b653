"""`loopstep runs`, `show`, `cancel`, `messages`: looking at runs, and stopping one."""

from __future__ import annotations

import json
from typing import Any

import click

from loopstep.cli import remote, table
from loopstep.cli.report import report

STATUSES = ["created", "running", "succeeded", "failed", "cancelled", "timed_out"]


@click.command("runs")
@click.option("--plan", help="Only of this plan.")
@click.option("--status", type=click.Choice(STATUSES))
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
def runs_command(plan: str | None, status: str | None, limit: int, as_json: bool) -> None:
    """List runs, the latest first."""
    items = list(remote.connect(as_json).items("/runs", limit, plan=plan, status=status))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    click.echo("\n".join(run_lines(items, table.columns())) or "No runs.")


def run_lines(items: list[dict[str, Any]], columns: int | None) -> list[str]:
    """A line a run: id, plan, status, start, and how long it took where there is room for that."""
    rows = [
        [
            item["runId"],
            table.middle_cut(f"{item['plan']} v{item['version']}", max(12, columns - 67) if columns else None),
            table.coloured(item["status"]),
            table.moment(item.get("startedAt")),
            table.span(table.seconds(item.get("startedAt"), item.get("endedAt"))),
        ]
        for item in items
    ]
    lines = table.lines(rows)
    if columns and any(table.width(line) > columns for line in lines):
        return table.lines([row[:-1] for row in rows])
    return lines


@click.command("show")
@click.argument("run")
@click.option("--all", "every", is_flag=True, help="Every item and pass, also of long rows that went well.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document: run, state, activations, messages.")
def show_command(run: str, every: bool, as_json: bool) -> None:
    """Show RUN: its timeline as a tree of regions, items and passes, and why each branch was taken; then attempts,
    state, messages, output.
    """
    whole = fetch(remote.connect(as_json), run)
    if as_json:
        click.echo(json.dumps(whole, ensure_ascii=False))
    else:
        click.echo(report(whole, every))


def fetch(api: remote.Remote, run: str) -> dict[str, Any]:
    """Everything there is to see of a run: `run`, `state`, `activations`, `messages`; of state what is `omitted`."""
    path = f"/runs/{remote.quoted(run)}"
    head = api.call("GET", path)
    activations = activations_of(api, run)
    state, omitted = _state(api, head, activations)
    return {
        "run": head,
        "state": state,
        "activations": activations,
        "messages": list(api.items("/messages", runId=run)),
        **({"omitted": omitted} if omitted else {}),
    }


def activations_of(api: remote.Remote, run: str) -> list[dict[str, Any]]:
    """A run's activations by their start. What a redrive begins again between two pages counts where it comes last."""
    latest: dict[str, dict[str, Any]] = {}
    for each in api.items(f"/runs/{remote.quoted(run)}/activations"):
        latest.pop(each["id"], None)
        latest[each["id"]] = each
    return list(latest.values())


def _state(
    api: remote.Remote, run: dict[str, Any], activations: list[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the run remembers: the declared defaults, and over them what its activations wrote, in order.

    And what the API left out of that, as it says it of one answer: {"state.notes": {"bytes", "url"}}.
    """
    version = api.call("GET", f"/plans/{remote.quoted(run['plan'])}/versions/{run['version']}")
    omitted: dict[str, Any] = {}
    state = {name: schema["default"] for name, schema in version["state"].items() if "default" in schema}
    for activation in sorted((a for a in activations if "revision" in a), key=lambda a: a["revision"]):
        state.update(activation["wrote"])
        left_out = activation.get("omitted") or {}
        for name in activation["wrote"]:
            omitted.pop(f"state.{name}", None)
            if found := left_out.get(f"wrote.{name}"):
                omitted[f"state.{name}"] = found
    return state, omitted


@click.command("cancel")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def cancel_command(run: str, as_json: bool) -> None:
    """Stop RUN. What nodes have done stays done. Exit code 6 when it has ended otherwise already."""
    answer = remote.connect(as_json).call("POST", f"/runs/{remote.quoted(run)}/cancel")
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{run}: {table.coloured('cancelled')}")


@click.command("messages")
@click.option("--scope", help="Only those sent to this scope.")
@click.option("--run", "run", help="Only those of this run.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
def messages_command(scope: str | None, run: str | None, limit: int, as_json: bool) -> None:
    """List what was sent, by --scope, --run or both."""
    if not scope and not run:
        raise click.UsageError("Say which: --scope or --run.")
    items = list(remote.connect(as_json).items("/messages", limit, scope=scope, runId=run))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [[item.get("sentAt") or "", table.plain(item["scope"]), table.message(item)] for item in items]
    click.echo("\n".join(table.lines(rows)) or "No messages.")
