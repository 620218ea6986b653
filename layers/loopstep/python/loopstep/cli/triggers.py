"""`loopstep triggers` and `dead-letters`: events that start plans, and those that could not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from loopstep.cli import files, outcome, remote, table
from loopstep.cli.publish import show_diagnostics

INVALID = 422

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
_LIST = click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")


@click.group("triggers")
def triggers_command() -> None:
    """Triggers of plans: list, put, show, remove, enable, disable.

    A trigger is an event pattern on the stack's bus, and how the plan's input is made from the event.
    """


@triggers_command.command("list")
@click.argument("plan", required=False)
@_LIST
def list_command(plan: str | None, as_json: bool) -> None:
    """List the triggers of PLAN, or of every plan."""
    api = remote.connect(as_json)
    items = list(_of(api, plan) if plan else _of_all(api))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [[each["plan"], each["id"], _state(each), table.short(each["pattern"])] for each in items]
    click.echo("\n".join(table.lines(rows)) or "There is no trigger yet.")


@triggers_command.command("put")
@click.argument("plan")
@click.argument("id")
@click.argument("file")
@_JSON
def put_command(plan: str, id: str, file: str, as_json: bool) -> int:
    """Start PLAN for the events that FILE (YAML or JSON; "-": stdin) describes: the trigger ID.

    FILE has `pattern`, `input` (by field: value, ref or expr on `event`), and may have `version` and `enabled`.
    """
    document = files.read_text(file)
    try:
        answer = remote.connect(as_json).call("PUT", _path(plan, id), raw=document)
    except remote.Refused as refused:
        if refused.status != INVALID or as_json or "diagnostics" not in refused.problem:
            raise
        show_diagnostics(file, refused.problem)
        return outcome.NO
    _tell(answer, as_json)
    return outcome.OK


@triggers_command.command("show")
@click.argument("plan")
@click.argument("id")
@_JSON
def show_command(plan: str, id: str, as_json: bool) -> None:
    """Show the trigger ID of PLAN."""
    found = remote.connect(as_json).call("GET", _path(plan, id))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    rows = [
        [name, table.plain(value) if isinstance(value, str) else table.short(value)] for name, value in found.items()
    ]
    click.echo("\n".join(table.lines(rows)))


@triggers_command.command("remove")
@click.argument("plan")
@click.argument("id")
@_JSON
def remove_command(plan: str, id: str, as_json: bool) -> None:
    """Take the trigger ID of PLAN out. Runs that it started go on."""
    answer = remote.connect(as_json).call("DELETE", _path(plan, id))
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{id}: removed")


@triggers_command.command("enable")
@click.argument("plan")
@click.argument("id")
@_JSON
def enable_command(plan: str, id: str, as_json: bool) -> None:
    """Let events start PLAN again."""
    _tell(remote.connect(as_json).call("POST", f"{_path(plan, id)}/enable"), as_json)


@triggers_command.command("disable")
@click.argument("plan")
@click.argument("id")
@_JSON
def disable_command(plan: str, id: str, as_json: bool) -> None:
    """Keep events from starting PLAN; those that come meanwhile are passed over."""
    _tell(remote.connect(as_json).call("POST", f"{_path(plan, id)}/disable"), as_json)


@click.group("dead-letters")
def dead_letters_command() -> None:
    """Events and firings that could start no run: list, redrive, remove."""


@dead_letters_command.command("list")
@_LIST
def list_letters_command(as_json: bool) -> None:
    """List them, the oldest first, with their reasons; what is in them is not shown."""
    items = remote.connect(as_json).call("GET", "/dead-letters")["items"]
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    for each in items:
        click.echo(f"{each['id']}  {table.moment(each['sentAt'])}  {_of_what(each)}  {table.plain(each['code'] or '')}")
        for line in _reasons(each):
            click.echo(f"  {table.plain(line)}")
    if not items:
        click.echo("There is no dead letter.")


@dead_letters_command.command("redrive")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_LIST
def redrive_command(ids: tuple[str, ...], as_json: bool) -> int:
    """Try them again, one after the other; what succeeds is out of the queue. Exit code 1 where one did not."""
    api = remote.connect()
    done: list[dict[str, Any]] = []
    code = outcome.OK
    for id in ids:
        try:
            done.append(api.call("POST", f"/dead-letters/{remote.quoted(id)}/redrive"))
        except remote.Refused as refused:
            refused.show()
            code = outcome.NO
            continue
        if not as_json:
            click.echo(f"{id}: {done[-1]['runId'] or done[-1]['skipped']}")
    if as_json:
        click.echo(json.dumps({"items": done}, ensure_ascii=False))
    return code


@dead_letters_command.command("remove")
@click.argument("id")
@_JSON
def remove_letter_command(id: str, as_json: bool) -> None:
    """Take a dead letter out for good."""
    answer = remote.connect(as_json).call("DELETE", f"/dead-letters/{remote.quoted(id)}")
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{id}: removed")


def _of_what(letter: dict[str, Any]) -> str:
    named = letter["trigger"] or letter["schedule"]
    return table.plain(f"{letter['plan']}/{named}" if named else letter["kind"])


def _reasons(letter: dict[str, Any]) -> Iterator[str]:
    if letter["detail"]:
        yield letter["detail"]
    for error in letter["errors"]:
        yield f"  {error.get('path') or '/'}: {error.get('message')}"


def _of(api: remote.Remote, plan: str) -> Iterator[dict[str, Any]]:
    return api.items(f"/plans/{remote.quoted(plan)}/triggers")


def _of_all(api: remote.Remote) -> Iterator[dict[str, Any]]:
    for plan in api.items("/plans"):
        yield from _of(api, plan["name"])


def _path(plan: str, id: str) -> str:
    return f"/plans/{remote.quoted(plan)}/triggers/{remote.quoted(id)}"


def _tell(trigger: dict[str, Any], as_json: bool) -> None:
    click.echo(json.dumps(trigger, ensure_ascii=False) if as_json else f"{trigger['id']}: {_state(trigger)}")


def _state(trigger: dict[str, Any]) -> str:
    return "enabled" if trigger["enabled"] else "disabled"
