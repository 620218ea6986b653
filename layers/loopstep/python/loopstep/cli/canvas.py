"""`loopstep import` and `loopstep mappings`: canvas documents (CANVAS §2), offline."""

from __future__ import annotations

import json
from typing import Any

import click

from loopstep.cli import files, outcome


@click.command("import")
@click.argument("file", metavar="CANVAS")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"plan": document or null, "diagnostics"}.')
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the plan here instead of stdout.")
def import_command(file: str, as_json: bool, output: str | None) -> int:
    """Print the plan (YAML) that the canvas document CANVAS ("-": stdin) lowers to.

    What there is to say about the canvas goes to stderr, with its place. Exit code 1 when it has errors: then there is
    no plan.
    """
    from loopstep.canvas.lower import import_canvas

    document = files.read_document(file)
    imported = import_canvas(document)
    if output is not None and imported.plan is not None:
        _write(output, imported.text)
    if as_json:
        found = {"plan": imported.plan, "diagnostics": [each.to_json() for each in imported.diagnostics]}
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        from loopstep.cli.diagnosis import echo

        echo(file, document, imported.diagnostics, to_stderr=True)
        if output is None:
            click.echo(imported.text, nl=False)
    return outcome.OK if imported.plan is not None else outcome.NO


@click.command("mappings")
@click.argument("file", metavar="CANVAS")
@click.argument("node")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"options": […]}.')
def mappings_command(file: str, node: str, as_json: bool) -> int:
    """List what the inputs of NODE can be taken from: fields of the nodes before it, the nearest first.

    For each declared input how the field fits: exact, implicit, converted (and to what) or incompatible.
    """
    from loopstep.canvas.mappings import mappings

    document = files.read_document(file)
    found = mappings(document, node)
    if found.options is None:
        from loopstep.cli.diagnosis import echo, echo_json

        if found.diagnostics:
            echo(file, document, found.diagnostics, to_stderr=True)
            if as_json:
                echo_json(file, found.diagnostics)
            return outcome.NO
        raise outcome.Failure(f"{file} has no node {node}", outcome.NOT_FOUND)
    if as_json:
        click.echo(json.dumps({"options": found.options}, ensure_ascii=False))
    else:
        for line in _lines(found.options):
            click.echo(line)
    return outcome.OK


def _lines(options: list[dict[str, Any]]) -> list[str]:
    """A row for each option and declared input."""
    from loopstep.cli import table

    rows = []
    for option in options:
        fields = [f"{option['nodeId']}.{option['field']}", option["type"]]
        for name, fit in option["fits"].items() or [("", "")]:
            modes = f" ({', '.join(option['modes'][name])})" if option["modes"].get(name) else ""
            rows.append([*fields, name and f"→ {name}", fit, option["conversion"].get(name, "") + modes])
            fields = ["", ""]
    return table.lines(rows)


def _write(output: str, text: str) -> None:
    try:
        with open(output, "w", encoding="utf-8") as target:
            target.write(text)
    except OSError as fault:
        raise outcome.Failure(f"{output}: {fault.strerror or fault}", outcome.USAGE) from None
