"""`loopstep publish` and `plans`: a canvas document is imported on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import arguments, files, outcome, remote, table

if TYPE_CHECKING:
    from loopstep.source.document import Value

PUBLISHED_NOT = 422
_NAMES = "a letter or `_`, then letters, digits and `_`, at most 63 characters"


@click.command("publish")
@click.argument("file")
@click.option(
    "--name",
    callback=arguments.not_empty,
    help="Of the plan. Default: the document's metadata.name, else the file's name.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def publish_command(file: str, name: str | None, as_json: bool) -> int:
    """Publish FILE ("-": stdin), plan or canvas, as the next version of its plan. Exit code 1 when it has errors."""
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
    """Publish a file, a plan or a canvas; the API's answer. Raises Refused, with the diagnostics in its problem.

    A canvas is imported by the stack, which knows what is registered there; what is said of it then has its places.
    """
    document = files.read_document(file)
    root = _root(api, document)
    if _is_canvas(root):
        imported = import_canvas(api, document)
        found, own = imported["diagnostics"], (imported["plan"].get("metadata") or {}).get("name")
        try:
            return {**_publish(api, file, name, imported["text"].encode(), own), "diagnostics": found}
        except remote.Refused as refused:
            refused.problem["diagnostics"] = _placed(found, refused.problem.get("diagnostics") or [])
            raise
    return _publish(api, file, name, document, _own_name(root))


def import_canvas(api: remote.Remote, document: bytes) -> dict[str, Any]:
    """`{plan, text, diagnostics}` of a canvas that can be published. Raises Refused, with the diagnostics."""
    imported: dict[str, Any] = api.call("POST", "/canvas/import", raw=document)
    if imported["plan"] is None:
        found = imported["diagnostics"]
        raise api.refusal(PUBLISHED_NOT, "canvas.invalid", "The canvas has errors.", diagnostics=found)
    return imported


def _placed(on_canvas: list[dict[str, Any]], on_plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Why a lowered plan is refused, at its places in the canvas: importing says the same, as warnings."""
    errors = {each["code"] for each in on_plan if each["severity"] == "error"}
    found = [{**each, "severity": "error"} if each["code"] in errors else each for each in on_canvas]
    known = {each["code"] for each in on_canvas}
    return found + [each for each in on_plan if each["code"] not in known]


def _publish(api: remote.Remote, file: str, name: str | None, document: bytes, own: str | None) -> dict[str, Any]:
    plan = _plan_name(file, name, own)
    answer: dict[str, Any] = api.call("PUT", f"/plans/{remote.quoted(plan)}", raw=document)
    return {**answer, "name": plan}


def _plan_name(file: str, name: str | None, own: str | None) -> str:
    """What is asked for, what the document says, or the file's name. Raises Failure where none can be a plan's."""
    from loopstep.types.forms import is_id

    stem = "" if file == "-" else Path(file).name.partition(".")[0].replace("-", "_")
    given = [name] if name else [each for each in (own, stem) if each]
    if not given:
        raise outcome.Failure("the plan has no name", outcome.USAGE, "Give --name, or name it in the document.")
    for each in given:  # a document that names itself wrongly is refused at that place, whatever it is published as
        if is_id(each):
            return each
    raise outcome.Failure(f"`{given[0]}` cannot be a plan's name", outcome.USAGE, f"Give --name: {_NAMES}.")


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


def _is_canvas(root: Value) -> bool:
    from loopstep.source.document import Mapping

    return isinstance(root, Mapping) and "nodes" in root.entries and not {"apiVersion", "graph"} & set(root.entries)


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
