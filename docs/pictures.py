"""The pictures of the docs, drawn from examples: what `loopstep graph` draws."""

from __future__ import annotations

from pathlib import Path

from loopstep.cli.data_places import describe_places
from loopstep.compiler.compile import compile
from loopstep.drawing.areas import lay_out_data
from loopstep.drawing.chart import chart_of
from loopstep.drawing.layout import lay_out
from loopstep.drawing.svg import svg
from loopstep.services.describe_graph import describe_graph

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"

GRAPHS = {
    "refund": "../examples/refund.yaml",
    "loop": "nodes/examples/loop.yaml",
    "fan_out": "nodes/examples/fan_out.yaml",
    "join": "nodes/examples/join.yaml",
}
DATA = {"data_flow": "../examples/data_flow.yaml"}


def pictures() -> dict[Path, str]:
    """Every picture: its path and the SVG."""
    made = {PICTURES / f"{name}.svg": _graph(DOCS / file) for name, file in GRAPHS.items()}
    return made | {PICTURES / f"{name}.svg": _data(DOCS / file) for name, file in DATA.items()}


def _graph(file: Path) -> str:
    compiled = compile(file.read_bytes(), file.stem)
    assert compiled.plan is not None and compiled.program is not None, file
    return svg(lay_out(chart_of(describe_graph(compiled.plan, compiled.program))))


def _data(file: Path) -> str:
    compiled = compile(file.read_bytes())
    assert compiled.plan is not None and compiled.program is not None, file
    return svg(lay_out_data(describe_places(compiled.plan, compiled.program, compiled.flows)))
