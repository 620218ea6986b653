"""`loopstep approvals`, `approve`, `reject`, `callbacks`, `callback`: what runs wait for, and answering it."""

from __future__ import annotations

import getpass
import json
import os
from typing import Any

import click

from loopstep.cli import files, remote, table

BY = "LOOPSTEP_USER"
APPROVAL_STATUSES = ["pending", "approved", "rejected", "timed_out", "ended"]
CALLBACK_STATUSES = ["pending", "completed", "failed", "timed_out", "ended"]

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
_ITEMS = click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
_LIMIT = click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
_RUN = click.option("--run", "run", help="Only those of this run.")


@click.command("approvals")
@_RUN
@click.option(
    "--status",
    type=click.Choice([*APPROVAL_STATUSES, "all"]),
    default="pending",
    show_default=True,
)
@_LIMIT
@_ITEMS
def approvals_command(run: str | None, status: str, limit: int, as_json: bool) -> None:
    """List approvals: who is asked what, and until when."""
    _list("/approvals", "summary", run, status, limit, as_json)


@click.command("callbacks")
@_RUN
@click.option(
    "--status",
    type=click.Choice([*CALLBACK_STATUSES, "all"]),
    default="pending",
    show_default=True,
)
@_LIMIT
@_ITEMS
def callbacks_command(run: str | None, status: str, limit: int, as_json: bool) -> None:
    """List callbacks: what was sent where and waits for an answer."""
    _list("/callbacks", "text", run, status, limit, as_json)


def _list(path: str, field: str, run: str | None, status: str, limit: int, as_json: bool) -> None:
    chosen = None if status == "all" else status
    items = list(remote.connect(as_json).items(path, limit, runId=run, status=chosen))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [
        [
            item["id"],
            table.coloured(item["status"]),
            f"until {item['deadline']}",
            table.plain(item["scope"]),
            table.message({**item, "text": item[field], "omitted": {"text": (item.get("omitted") or {}).get(field)}}),
        ]
        for item in items
    ]
    click.echo("\n".join(table.lines(rows)) or "Nothing.")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user often has no name
        raise click.UsageError(f"This user has no name: say who decides with --by or {BY}.") from None


def _decide(decision: str, wait: str, by: str | None, comment: str | None, as_json: bool) -> None:
    body = {"decision": decision, "by": by or os.environ.get(BY) or _user()}
    if comment is not None:
        body["comment"] = comment
    answer = remote.connect(as_json).call("POST", f"/approvals/{remote.quoted(wait)}", body)
    _say(answer, f"{answer['nodeId']}: {answer['decision']} by {table.plain(answer['decidedBy'])}", as_json)


_BY = click.option("--by", metavar="NAME", help=f"Who decides. Default: {BY}, else the user of this machine.")
_COMMENT = click.option("--comment", metavar="TEXT", help="What is said with the decision.")


@click.command("approve")
@click.argument("wait", metavar="ID")
@_BY
@_COMMENT
@_JSON
def approve_command(wait: str, by: str | None, comment: str | None, as_json: bool) -> None:
    """Approve ID. Exit code 6 when it is decided or over already, 4 when others have to decide."""
    _decide("approved", wait, by, comment, as_json)


@click.command("reject")
@click.argument("wait", metavar="ID")
@_BY
@_COMMENT
@_JSON
def reject_command(wait: str, by: str | None, comment: str | None, as_json: bool) -> None:
    """Reject ID. Exit code 6 when it is decided or over already, 4 when others have to decide."""
    _decide("rejected", wait, by, comment, as_json)


@click.group("callback")
def callback_command() -> None:
    """Answer a callback, once."""


@callback_command.command("succeed")
@click.argument("wait", metavar="ID")
@click.option("--output", default="{}", metavar="JSON|@file", help="The answer, as JSON or @file (@-: stdin).")
@_JSON
def succeed_command(wait: str, output: str, as_json: bool) -> None:
    """Answer ID with an output. Exit code 1 when it breaks the contract (the run keeps waiting), 6 when it is over."""
    _answer(wait, {"output": files.read_object(output, "--output")}, as_json)


@callback_command.command("fail")
@click.argument("wait", metavar="ID")
@click.option("--code", required=True, help="A code that the plan's failed edge can read.")
@click.option("--message", default="", help="What went wrong.")
@_JSON
def fail_command(wait: str, code: str, message: str, as_json: bool) -> None:
    """Answer ID with an error. Exit code 6 when it is answered or over already."""
    _answer(wait, {"error": {"code": code, "message": message}}, as_json)


def _answer(wait: str, body: dict[str, Any], as_json: bool) -> None:
    answer = remote.connect(as_json).call("POST", f"/callbacks/{remote.quoted(wait)}", body)
    _say(answer, f"{answer['nodeId']}: {table.coloured(answer['status'])}", as_json)


def _say(answer: dict[str, Any], text: str, as_json: bool) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else text)
