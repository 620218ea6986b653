"""`loopstep schedules`: what starts a plan when, and a preview of any expression."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from loopstep.cli import arguments, files, outcome, remote, table

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
_COUNT = click.IntRange(1, 100)


@click.group("schedules")
def schedules_command() -> None:
    """Schedules of plans: list, put, show, remove, enable, disable, preview.

    An expression is cron(MINUTES HOURS DAY-OF-MONTH MONTH DAY-OF-WEEK YEAR) with ? in one of the days, rate(5 minutes)
    or at(2026-12-24T18:00:00).
    """


@schedules_command.command("list")
@click.argument("plan", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
def list_command(plan: str | None, as_json: bool) -> None:
    """List the schedules of PLAN, or of every plan."""
    api = remote.connect(as_json)
    items = list(_of(api, plan) if plan else _of_all(api))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [
        [each["plan"], each["id"], table.plain(each["expression"]), each["timeZone"], _next(each)] for each in items
    ]
    click.echo("\n".join(table.lines(rows)) or "There is no schedule yet.")


@schedules_command.command("put")
@click.argument("plan")
@click.argument("id")
@click.argument("expression")
@click.option("--time-zone", metavar="ZONE", help="An IANA name. Default: UTC.")
@click.option("--input", "given", default="{}", metavar="JSON|@file", help="The input, as JSON or @file (@-: stdin).")
@click.option("--version", type=click.IntRange(1), help="Default: the newest at each firing.")
@click.option("--disabled", is_flag=True, help="It does not fire until it is enabled.")
@click.option("--delete-after-completion", "once", is_flag=True, help="Take it out after its last firing.")
@click.option(
    "--ends-at", metavar="TIME", callback=arguments.not_empty, help="The last moment, as 2027-01-01T00:00:00Z."
)
@_JSON
def put_command(
    plan: str,
    id: str,
    expression: str,
    time_zone: str | None,
    given: str,
    version: int | None,
    disabled: bool,
    once: bool,
    ends_at: str | None,
    as_json: bool,
) -> None:
    """Start PLAN whenever EXPRESSION says: the schedule ID, in the place of the one that is there."""
    options = {"timeZone": time_zone, "version": version, "endsAt": ends_at}
    body = {
        "expression": expression,
        "input": files.read_object(given),
        "enabled": not disabled,
        "deleteAfterCompletion": once,
        **{name: value for name, value in options.items() if value is not None},
    }
    _tell(remote.connect(as_json).call("PUT", _path(plan, id), body), as_json)


@schedules_command.command("show")
@click.argument("plan")
@click.argument("id")
@_JSON
def show_command(plan: str, id: str, as_json: bool) -> None:
    """Show the schedule ID of PLAN."""
    found = remote.connect(as_json).call("GET", _path(plan, id))
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    rows = [[name, value if isinstance(value, str) else table.short(value)] for name, value in found.items()]
    click.echo("\n".join(table.lines([[name, table.plain(text)] for name, text in rows])))


@schedules_command.command("remove")
@click.argument("plan")
@click.argument("id")
@_JSON
def remove_command(plan: str, id: str, as_json: bool) -> None:
    """Take the schedule ID of PLAN out. Runs that it started go on."""
    answer = remote.connect(as_json).call("DELETE", _path(plan, id))
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{id}: removed")


@schedules_command.command("enable")
@click.argument("plan")
@click.argument("id")
@_JSON
def enable_command(plan: str, id: str, as_json: bool) -> None:
    """Let the schedule ID of PLAN fire again. A rate counts from now."""
    _tell(remote.connect(as_json).call("POST", f"{_path(plan, id)}/enable"), as_json)


@schedules_command.command("disable")
@click.argument("plan")
@click.argument("id")
@_JSON
def disable_command(plan: str, id: str, as_json: bool) -> None:
    """Keep the schedule ID of PLAN from firing."""
    _tell(remote.connect(as_json).call("POST", f"{_path(plan, id)}/disable"), as_json)


@schedules_command.command("preview")
@click.argument("what", metavar="EXPRESSION|PLAN")
@click.argument("id", required=False)
@click.option("--time-zone", default=None, metavar="ZONE", help="Of an expression; an IANA name. Default: UTC.")
@click.option("--count", type=_COUNT, default=10, show_default=True, help="How many firings.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"timeZone", "items"}.')
def preview_command(what: str, id: str | None, time_zone: str | None, count: int, as_json: bool) -> None:
    """Show when EXPRESSION, or the schedule ID of PLAN, fires next, in its zone.

    A local time that the clocks skip does not fire; one that comes twice fires the first time. Both are marked.
    """
    if "(" in what:
        if id is not None:
            raise click.UsageError("An expression stands alone.")
        found = _computed(what, time_zone or "UTC", count)
    else:
        if id is None or time_zone is not None:
            raise click.UsageError("Give an EXPRESSION, or PLAN and ID without --time-zone.")
        found = remote.connect(as_json).call("GET", f"{_path(what, id)}/preview?count={count}")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    rows = [[_local(each["local"]), each["at"] or "", _MARKS.get(each["shift"], "")] for each in found["items"]]
    click.echo("\n".join(table.lines(rows)) or "It fires no more.")


_MARKS = {"gap": "skipped: the clocks go forward", "overlap": "once: the clocks go back"}


def _computed(text: str, zone_name: str, count: int) -> dict[str, Any]:
    """Needs no stack. A rate counts from now."""
    from datetime import UTC, datetime

    from loopstep.schedules.cron import BadExpression
    from loopstep.schedules.expression import find_zone, parse_expression
    from loopstep.schedules.firings import preview
    from loopstep.services.shown_firing import shown_firing

    zone = find_zone(zone_name)
    if zone is None:
        raise outcome.Failure(f"there is no time zone {zone_name}", outcome.NO, "It is an IANA name: Europe/Berlin.")
    now = datetime.now(UTC)
    try:
        found = preview(parse_expression(text), zone, now, now, count)
    except BadExpression as bad:
        raise outcome.Failure(str(bad), outcome.NO) from None
    return {"timeZone": zone_name, "items": [shown_firing(each, zone) for each in found]}


def _of(api: remote.Remote, plan: str) -> Iterator[dict[str, Any]]:
    return api.items(f"/plans/{remote.quoted(plan)}/schedules")


def _of_all(api: remote.Remote) -> Iterator[dict[str, Any]]:
    for plan in api.items("/plans"):
        yield from _of(api, plan["name"])


def _path(plan: str, id: str) -> str:
    return f"/plans/{remote.quoted(plan)}/schedules/{remote.quoted(id)}"


def _tell(schedule: dict[str, Any], as_json: bool) -> None:
    said = f"{schedule['id']}: {_next(schedule)}"
    click.echo(json.dumps(schedule, ensure_ascii=False) if as_json else said)


def _next(schedule: dict[str, Any]) -> str:
    if not schedule["enabled"]:
        return "disabled"
    return f"next {table.moment(schedule['nextAt'])}" if schedule["nextAt"] else "over"


def _local(text: str) -> str:
    """`2026-11-30T09:00:00+01:00` for people, with its weekday."""
    from datetime import datetime

    at = datetime.fromisoformat(text)
    return f"{at:%a %Y-%m-%d %H:%M:%S} {text[19:]}".rstrip()
