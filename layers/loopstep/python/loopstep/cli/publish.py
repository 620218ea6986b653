"""`loopstep publish` and `plans`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import arguments, files, outcome, remote, table

if TYPE_CHECKING:
    from loopstep.source.document import Value

PUBLISHED_NOT = 422


@click.command("publish")
@click.argument("file")
@click.option(
    "--name",
    callback=arguments.not_empty,
    help="Of the plan. Default: the document's metadata.name, else the file's name.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def publish_command(file: str, name: str | None, as_json: bool) -> int:
    """Publish FILE ("-": stdin) as the next version of its plan. Exit code 1 when it has errors."""
    try:
        answer = publish(remote.connect(as_json), file, name)
    except remote.Refused as refused:
        if refused.status != PUBLISHED_NOT or as_json:
            raise
        show_diagnostics(file, refused.problem)
        return outcome.NO
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        show_diagnostics(file, answer)
        click.echo(f"{answer['name']} version {answer['version']}{' (unchanged)' if answer.get('unchanged') else ''}")
    return outcome.OK


def publish(api: remote.Remote, file: str, name: str | None = None) -> dict[str, Any]:
    """Publish a file; the API's answer. Raises Refused, with the diagnostics in its problem."""
    document = files.read_document(file)
    root = _root(api, document)
    plan = name or _own_name(root) or ("" if file == "-" else Path(file).name.partition(".")[0].replace("-", "_"))
    if not plan:
        raise outcome.Failure("the plan has no name", outcome.USAGE, "Give --name, or metadata.name in the document.")
    answer: dict[str, Any] = api.call("PUT", f"/plans/{remote.quoted(plan)}", raw=document)
    return {**answer, "name": plan}


def show_diagnostics(file: str, answer: dict[str, Any]) -> None:
    """What the API says about a document, as `check` would say it, on stderr."""
    for diagnostic in answer.get("diagnostics") or []:
        place = f"{file}:{diagnostic['line']}:{diagnostic['column']}"
        text = f"{place}: {diagnostic['severity']}[{diagnostic['code']}]: {diagnostic['message']}"
        click.echo(outcome.visible(text), err=True)


def _root(api: remote.Remote, document: bytes) -> Value:
    """The document, where it is one. Raises Refused as the API would.

    It is not asked: of bytes that are no UTF-8 a gateway makes other characters, and what is too large it cuts off.
    """
    from loopstep.diagnostics.collector import Reporter
    from loopstep.source.load import load

    root, faults = load(document)
    if root is None:
        reporter = Reporter()
        for fault in faults:
            reporter.fault(fault)
        found = [diagnostic.to_json() for diagnostic in reporter.sorted()]
        raise api.refusal(PUBLISHED_NOT, "plan.invalid", "The document has errors.", diagnostics=found)
    return root


def _own_name(root: Value) -> str | None:
    from loopstep.source.document import Mapping, Scalar

    metadata = root.entries.get("metadata") if isinstance(root, Mapping) else None
    name = metadata.entries.get("name") if isinstance(metadata, Mapping) else None
    return name.value if isinstance(name, Scalar) and isinstance(name.value, str) else None


@click.command("plans")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
def plans_command(limit: int, as_json: bool) -> None:
    """List the published plans."""
    items = list(remote.connect(as_json).items("/plans", limit))
    if as_json:
        click.echo(json.dumps({"items": items}, ensure_ascii=False))
        return
    rows = [[item["name"], f"v{item['version']}", table.cut(item.get("title") or "", 60)] for item in items]
    click.echo("\n".join(table.lines(rows)) or "No plan is published yet.")
