"""`loopstep keys`: who may call the API, and what."""

from __future__ import annotations

import json

import click

from loopstep.access.roles import ROLES
from loopstep.cli import outcome, remote, table

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
_LIST = click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")


@click.group("keys")
def keys_command() -> None:
    """Callers of the API and their roles: me, list, put, remove.

    A caller is an API key or, where the stack asks for signed requests, a user or role of IAM.
    """


@keys_command.command("me")
@_JSON
def me_command(as_json: bool) -> None:
    """Say who you are to the stack, and what you may do."""
    found = remote.connect(as_json).call("GET", "/me")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    name = f"  {table.plain(found['name'])}" if found["name"] else ""
    click.echo(f"{table.plain(found['id'])}{name}  {', '.join(found['roles']) or 'no role'}")


@keys_command.command("list")
@_LIST
def list_command(as_json: bool) -> None:
    """List the registered callers."""
    items = list(remote.connect(as_json).items("/keys"))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [[each["id"], ", ".join(each["roles"]), table.plain(each["name"])] for each in items]
    click.echo("\n".join(table.lines(rows)) or "Nobody is registered yet.")


@keys_command.command("put")
@click.argument("id")
@click.option("--name", required=True, help="What people call it.")
@click.option(
    "--role", "roles", multiple=True, required=True, type=click.Choice(ROLES), help="May stand several times."
)
@_JSON
def put_command(id: str, name: str, roles: tuple[str, ...], as_json: bool) -> None:
    """Give the caller ID these roles, and no others. It counts within ten seconds."""
    made = remote.connect(as_json).call("PUT", _path(id), {"name": name, "roles": list(roles)})
    click.echo(
        json.dumps(made, ensure_ascii=False) if as_json else f"{table.plain(made['id'])}: {', '.join(made['roles'])}"
    )


@keys_command.command("remove")
@click.argument("id")
@_JSON
def remove_command(id: str, as_json: bool) -> None:
    """Take the caller ID out. It then has the role of callers that are not registered."""
    answer = remote.connect(as_json).call("DELETE", _path(id))
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{table.plain(id)}: removed")


def _path(id: str) -> str:
    """An ARN has slashes, which the API takes as they are. Raises Failure for what no caller has as its id."""
    parts = id.split("/")
    if not all(parts) or any(part in (".", "..") for part in parts):
        raise outcome.Failure(f"{id} is no id of a caller", outcome.USAGE)
    return "/keys/" + "/".join(remote.quoted(part) for part in parts)
