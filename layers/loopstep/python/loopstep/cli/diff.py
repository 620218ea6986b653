"""`loopstep diff`: what changed between two plans, and what of it breaks callers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import files, outcome

if TYPE_CHECKING:
    from loopstep.comparing.change import Change, Comparison
    from loopstep.compiler.model import Plan

_VERSION = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,62})@([1-9][0-9]{0,8}|latest)")
_MARKS = {"added": "+", "removed": "-", "changed": "~", "renamed": "→", "moved": "↕"}
_LONGEST = 60  # characters of a side


@click.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"equal", "breaking", "changes"}.')
def diff_command(before: str, after: str, as_json: bool) -> int:
    """Compare the plans A and B: files, "-" for stdin, or NAME@VERSION (NAME@latest) of the service.

    What means the same is no difference: the order of keys, comments, how a value is written.
    Exit code 1 when something breaks callers: an input that is refused now, an output that is not what it was.
    2 when a plan cannot be read or has errors.
    """
    from loopstep.comparing.compare import compare

    if before == after == "-":
        raise click.UsageError("Only one of both can come from stdin.")
    comparison = compare(*(_plan(what, as_json) for what in (before, after)))
    if as_json:
        click.echo(json.dumps(comparison_json(comparison), ensure_ascii=False))
    else:
        click.echo("\n".join(lines(f"{before} → {after}", comparison)))
    return outcome.NO if comparison.breaking else outcome.OK


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """`{equal, breaking, changes}`."""
    changes = [change.to_json() for change in comparison.changes]
    return {"equal": not changes, "breaking": bool(comparison.breaking), "changes": changes}


def lines(title: str, comparison: Comparison) -> list[str]:
    """For people: what breaks callers first."""
    changes, breaking = comparison.changes, comparison.breaking
    if not changes:
        return [f"{title}: no difference"]
    count = f"{len(changes)} difference{'' if len(changes) == 1 else 's'}"
    rest = [change for change in changes if not change.breaks]
    return [
        f"{title}: {count}, {_verdict(breaking)}",
        *_section("breaks callers", breaking),
        *_section("breaks nobody", rest),
    ]


def _verdict(breaking: Sequence[Change]) -> str:
    if not breaking:
        return "none breaks callers"
    return f"{len(breaking)} break{'s' if len(breaking) == 1 else ''} callers"


def _section(title: str, changes: Sequence[Change]) -> list[str]:
    return ["", title, *(f"  {line(change)}" for change in changes)] if changes else []


def line(change: Change) -> str:
    """One change in one line."""
    from loopstep.diagnostics.one_line import plain

    text = f"{_MARKS[change.action]} {change.place}{_sides(change)}"
    return plain(f"{text}: {change.breaks}" if change.breaks else text)


def _sides(change: Change) -> str:
    before, after = (_side(change, value) for value in (change.before, change.after))
    if change.action == "renamed":
        return f" is now {change.after}"
    if change.action == "added":
        return f" ({after})"
    if change.action == "removed":
        return f" ({before})"
    return f": {before} → {after}"


def _side(change: Change, value: Any) -> str:
    """A schema in words, a node by its type, an edge by its ends, else JSON, cut."""
    from loopstep.comparing.contracts import shown
    from loopstep.types.schema import MISSING, TYPES

    if value is MISSING:
        return "nothing"
    if isinstance(value, dict) and value.get("type") in TYPES:
        return shown(value)
    if change.about == "node" and isinstance(value, dict) and "type" in value:
        return str(value["type"])
    if change.about == "edge" and isinstance(value, dict) and "source" in value:
        return " → ".join(f"{end['nodeId']}.{end['port']}" for end in (value["source"], value["target"]))
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _plan(what: str, as_json: bool) -> Plan:
    """Raises Failure for what cannot be read or has errors, Refused for what the service does not have."""
    return parsed(what, _document(what, as_json), as_json)


def parsed(what: str, document: bytes, as_json: bool = False) -> Plan:
    """The plan of a document. Raises Failure for one with errors, which are shown first."""
    from loopstep.compiler.compile import compile
    from loopstep.diagnostics.diagnostic import has_errors

    compiled = compile(document)
    if compiled.plan is None or has_errors(compiled.diagnostics):
        from loopstep.cli.diagnosis import echo, echo_json

        echo(what, document, compiled.diagnostics, to_stderr=True)
        if as_json:
            echo_json(what, compiled.diagnostics)
        raise outcome.Failure(f"{what} has errors, so it cannot be compared", outcome.USAGE)
    return compiled.plan


def _document(what: str, as_json: bool) -> bytes:
    named = _VERSION.fullmatch(what)
    if named is None or Path(what).exists():
        return files.read_document(what)
    from loopstep.cli import remote

    api = remote.connect(as_json)
    name, version = named.groups()
    if version == "latest":
        version = str(api.call("GET", f"/plans/{remote.quoted(name)}")["version"])
    found: str = api.call("GET", f"/plans/{remote.quoted(name)}/versions/{version}")["document"]
    return found.encode()
