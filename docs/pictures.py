"""The pictures of the docs, drawn from examples: what `loopstep graph` draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from docs.recipes import recipe_files
from loopstep.compiler.compile import compile
from loopstep.diagnostics.render import render, summary
from loopstep.drawing.areas import lay_out_data
from loopstep.drawing.chart import chart_of
from loopstep.drawing.layout import lay_out
from loopstep.drawing.svg import svg
from loopstep.services.describe_graph import describe_graph
from loopstep.services.describe_places import describe_places

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"

GRAPHS = {
    "refund": "../examples/refund.yaml",
    "loop": "nodes/examples/loop.yaml",
    "fan_out": "nodes/examples/fan_out.yaml",
    "join": "nodes/examples/join.yaml",
}
DATA = {"data_flow": "../examples/data_flow.yaml"}
# The places for data one by one: what is read by a root in a plan, and who may read it there.
PLACES = {
    "plan_input": ("plan.input", "../examples/data_flow.yaml"),
    "node_input": ("input", "../examples/refund.yaml"),
    "state": ("state", "../examples/data_flow.yaml"),
    "node_output": ("output", "nodes/examples/request_approval.yaml"),
    "plan_output": ("", "../examples/data_flow.yaml"),
    "error": ("error", "../examples/cookbook/human_fallback.yaml"),
    "loop_counters": ("loop", "nodes/examples/loop.nested.yaml"),
    "item": ("item", "../examples/cookbook/nested_fan_out.yaml"),
    "arrivals": ("items", "../examples/cookbook/fan_out_scoring.yaml"),
    "branches": ("branches", "nodes/examples/join.yaml"),
    "winner": ("winner", "../examples/cookbook/race.yaml"),
}
MERGED = ("items", "branches", "winner")  # roots of a join's merge: what arrives there is shown too


def pictures() -> dict[Path, str]:
    """Every picture: its path and the SVG."""
    made = {PICTURES / f"{name}.svg": _graph(DOCS / file) for name, file in GRAPHS.items()}
    made |= {PICTURES / f"cookbook_{name}.svg": _graph(file) for name, file in recipe_files().items()}
    made |= {PICTURES / f"data_{name}.svg": _place(DOCS / file, root) for name, (root, file) in PLACES.items()}
    made[PICTURES / "diagnostic.svg"] = _terminal("loopstep check refund.yaml", broken_refund())
    return made | {PICTURES / f"{name}.svg": svg(lay_out_data(_places(DOCS / file))) for name, file in DATA.items()}


def broken_refund() -> str:
    """The refund plan with the two faults that the tour makes."""
    text = (DOCS.parent / "examples" / "refund.yaml").read_text(encoding="utf-8")
    return text.replace("plan.input.reason,", "plan.input.raeson,").replace(
        "input.amount <= 50", 'input.amount <= "50"'
    )


def _terminal(command: str, document: str) -> str:
    """What a terminal shows of the diagnostics of a document, as a picture that loads no font."""
    found = compile(document).diagnostics
    console = Console(record=True, width=106, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ {command}"))
    console.print(Text.from_ansi(render("refund.yaml", document, found, colour=True)))
    console.print(Text.from_ansi(summary(found, colour=True)))
    form = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    made = console.export_svg(title="loopstep check", code_format=form, unique_id="diagnostic")
    return "\n".join(line.rstrip() for line in made.splitlines()) + "\n"


def _graph(file: Path) -> str:
    compiled = compile(file.read_bytes(), file.stem)
    assert compiled.plan is not None and compiled.program is not None, file
    return svg(lay_out(chart_of(describe_graph(compiled.plan, compiled.program))))


def _places(file: Path) -> dict[str, Any]:
    compiled = compile(file.read_bytes(), file.stem)
    assert compiled.plan is not None and compiled.program is not None, file
    return describe_places(compiled.plan, compiled.program, compiled.flows)


def _place(file: Path, root: str) -> str:
    """What a root reads, and nothing else; without a root, what becomes the plan's output."""
    data = _places(file)
    for node in data["nodes"]:
        node["sets"] = [row for row in node["sets"] if root and _reads(row, root)]
    whole = {node["id"] for node in data["nodes"] if (node["ends"] if not root else node["sets"] and root in MERGED)}
    for each in data["edges"]:
        each["rows"] = [row for row in each["rows"] if each["target"] in whole or (root and _reads(row, root))]
    data["edges"] = [each for each in data["edges"] if each["rows"]]
    _keep_what_is_read(data, root)
    return svg(lay_out_data(data, empty=False))


def _keep_what_is_read(data: dict[str, Any], root: str) -> None:
    """Leave out fields that no row reads or sets, and nodes that have none then."""
    bound = {(each["target"], row["target"]) for each in data["edges"] for row in each["rows"]}
    bound |= {(each["source"], _field(path)) for each, path in _paths(data["edges"]) if path.startswith("input.")}
    reads = {path for _, path in _paths([*data["edges"], *data["nodes"]])}
    read = {".".join(path.replace("[", ".").split(".")[:3]) for path in reads}
    for node in data["nodes"]:
        node["input"] = {name: kind for name, kind in node["input"].items() if (node["id"], name) in bound}
        node["outputs"] = node["outputs"] if root == "output" else []
        for each in node["outputs"]:
            each["fields"] = {name: kind for name, kind in each["fields"].items() if f"output.{name}" in read}
    data["nodes"] = [node for node in data["nodes"] if node["input"] or node["sets"] or node["outputs"]]
    data["input"] = {name: kind for name, kind in data["input"].items() if f"plan.input.{name}" in read}
    data["state"] = {name: kind for name, kind in data["state"].items() if f"state.{name}" in read}
    data["output"] = {} if root else data["output"]


def _paths(places: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    return ((each, path) for each in places for row in each.get("rows", each.get("sets", [])) for path in row["reads"])


def _field(path: str) -> str:
    return path.replace("[", ".").split(".")[1]


def _reads(row: dict[str, Any], root: str) -> bool:
    return any(path == root or path.startswith((f"{root}.", f"{root}[")) for path in row["reads"])
