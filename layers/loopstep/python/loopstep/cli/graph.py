"""`loopstep graph`: a plan as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import files, outcome

if TYPE_CHECKING:
    from loopstep.compiler.compile import Compiled

MERMAID, SVG = "mermaid", "svg"


@click.command("graph")
@click.argument("file")
@click.option("--format", "form", type=click.Choice([MERMAID, SVG]), help="Default: svg for -o FILE.svg, else mermaid.")
@click.option("--data", is_flag=True, help="The five places for data, and which references are visible where.")
@click.option("-o", "--output", "target", metavar="FILE", help="Write to FILE instead of stdout.")
@click.option("--json", "as_json", is_flag=True, help="What is drawn, as one JSON document.")
def graph_command(file: str, form: str | None, data: bool, target: str | None, as_json: bool) -> int:
    """Draw the plan FILE: nodes, ports, conditions, and regions as boxes. Exit code 1 when the plan has errors."""
    from loopstep.compiler.compile import compile

    document = files.read_document(file)
    compiled = compile(document)
    if compiled.plan is None or compiled.program is None:
        from loopstep.cli.diagnosis import echo, echo_json

        echo(file, document, compiled.diagnostics, to_stderr=True)
        if as_json:
            echo_json(file, compiled.diagnostics)
        return outcome.NO
    described = _places(compiled) if data else _graph(compiled)
    if as_json:
        _write(json.dumps(described, ensure_ascii=False) + "\n", target)
        return outcome.OK
    form = form or (SVG if target and target.endswith(".svg") else MERMAID)
    _write(_data_picture(described, form) if data else _picture(described, form), target)
    return outcome.OK


def _graph(compiled: Compiled) -> dict[str, Any]:
    from loopstep.services.describe_graph import describe_graph

    assert compiled.plan is not None and compiled.program is not None
    return describe_graph(compiled.plan, compiled.program)


def _places(compiled: Compiled) -> dict[str, Any]:
    from loopstep.services.describe_places import describe_places

    assert compiled.plan is not None and compiled.program is not None
    return describe_places(compiled.plan, compiled.program, compiled.flows)


def _picture(described: dict[str, Any], form: str) -> str:
    from loopstep.drawing.chart import chart_of

    if form == MERMAID:
        from loopstep.drawing.mermaid import mermaid

        return mermaid(chart_of(described))
    from loopstep.drawing.layout import lay_out
    from loopstep.drawing.svg import svg

    return svg(lay_out(chart_of(described)))


def _data_picture(described: dict[str, Any], form: str) -> str:
    if form == MERMAID:
        from loopstep.drawing.areas_mermaid import data_mermaid

        return data_mermaid(described)
    from loopstep.drawing.areas import lay_out_data
    from loopstep.drawing.svg import svg

    return svg(lay_out_data(described))


def _write(text: str, target: str | None) -> None:
    if target is None or target == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as fault:
        raise outcome.Failure(f"{target}: {fault.strerror or fault}", outcome.USAGE) from None
