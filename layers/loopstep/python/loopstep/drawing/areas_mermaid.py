"""The five places for data as Mermaid text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.drawing.areas import BINDINGS, INPUTS, OUTPUTS, PLAN_INPUT, STATE
from loopstep.drawing.mermaid import escaped


def data_mermaid(data: dict[str, Any]) -> str:
    """The picture of what `describe_places` gives, as a flowchart from left to right."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: dict[str, Any]) -> Iterator[str]:
    yield "flowchart LR"
    yield from _area("plan_input", PLAN_INPUT, _fields("p", "plan.input.", data["input"]))
    yield from _area("run_state", STATE, _fields("s", "state.", data["state"]))
    yield from _area("outputs", OUTPUTS, _outputs(data))
    yield from _area("bindings", BINDINGS, (_binding(edge) for edge in data["edges"]))
    yield from _area("inputs", INPUTS, (_input(node) for node in data["nodes"]))
    for edge in data["edges"]:
        yield from dict.fromkeys(f"  {source} --> b_{edge['id']}" for source in _sources(data, edge))
        yield f"  b_{edge['id']} --> i_{edge['target']}"
    yield from (f"  i_{node['id']} -.-> o_plan" for node in data["nodes"] if node["ends"])


def _area(name: str, area: tuple[str, str], inside: Iterator[str]) -> Iterator[str]:
    yield f'  subgraph {name}["{escaped(f"{area[0]}: {area[1]}")}"]'
    yield from (f"    {each}" for each in inside)
    yield "  end"


def _fields(prefix: str, root: str, fields: dict[str, str]) -> Iterator[str]:
    for index, (name, kind) in enumerate(fields.items()):
        yield f'{prefix}{index}["{escaped(f"{root}{name}: {kind}")}"]'


def _outputs(data: dict[str, Any]) -> Iterator[str]:
    for node in data["nodes"]:
        for each in node["outputs"]:
            yield _box(
                f"o_{node['id']}_{each['port']}", f"{node['id']}.{each['port']}", _rows("output.", each["fields"])
            )
    yield _box("o_plan", "plan output", _rows("", data["output"]))


def _binding(edge: dict[str, Any]) -> str:
    rows = [f"may read {', '.join(edge['sees'])}", *(row["text"] for row in edge["rows"])]
    return _box(f"b_{edge['id']}", edge["id"], rows)


def _input(node: dict[str, Any]) -> str:
    rows = [
        f"may read {', '.join(node['sees'])}",
        *_rows("input.", node["input"]),
        *(row["text"] for row in node["sets"]),
    ]
    return _box(f"i_{node['id']}", node["id"], rows)


def _rows(root: str, fields: dict[str, str]) -> list[str]:
    return [f"{root}{name}: {kind}" for name, kind in fields.items()]


def _box(name: str, title: str, rows: list[str]) -> str:
    return f'{name}["{"<br/>".join(map(escaped, [title, *rows]))}"]'


def _sources(data: dict[str, Any], edge: dict[str, Any]) -> Iterator[str]:
    inputs, state = list(data["input"]), list(data["state"])
    for row in edge["rows"]:
        for reference in row["reads"]:
            parts = reference.replace("[", ".").split(".")
            if parts[:2] == ["plan", "input"] and len(parts) > 2 and parts[2] in inputs:
                yield f"p{inputs.index(parts[2])}"
            elif parts[0] == "state" and len(parts) > 1 and parts[1] in state:
                yield f"s{state.index(parts[1])}"
            elif parts[0] == "input" and edge["source"]:
                yield f"i_{edge['source']}"
            elif parts[0] == "output" and edge["source"]:
                yield f"o_{edge['source']}_{edge['port']}"
