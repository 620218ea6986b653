"""A chart as Mermaid text (flowchart), which wikis, GitHub and GitLab draw by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loopstep.drawing.chart import OUTSIDE, Chart, Edge, Node, Place

# Mermaid writes entities with a number sign; these would end a label, begin Markdown or be taken for HTML.
_ENTITIES = {each: f"#{ord(each)};" for each in '#"&<>`\\*'}
_LIST = re.compile(r"^(\d+|)([.)+-])(?= )")  # a label that begins so would be taken for a list
_CONTROL = re.compile("[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_LONGEST = 200  # characters of a label

_SHAPES = {"succeeded": ('(["', '"])'), "failed": ('(["', '"])'), "control": ('{{"', '"}}'), "waits": ('("', '")')}
_CLASSES = (
    "classDef outside fill:#e8f8f5,stroke:#2a8f7f,color:#1c2330",
    "classDef waits fill:#fff5e0,stroke:#c08a1e,color:#1c2330",
    "classDef control fill:#f3efff,stroke:#7a5bd0,color:#1c2330",
    "classDef succeeded fill:#e6f7e9,stroke:#2f9a4c,color:#1c2330",
    "classDef failed fill:#fdeceb,stroke:#c8453e,color:#1c2330",
)


def mermaid(chart: Chart) -> str:
    """The whole text, ending with a line break: nodes in nested subgraphs, ports and `when` on the edges."""
    return "\n".join(_lines(chart)) + "\n"


def escaped(text: str) -> str:
    """A text for within the quotes of a label."""
    plain = _CONTROL.sub(" ", text)
    plain = plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
    return _LIST.sub(_first_escaped, "".join(_ENTITIES.get(each, each) for each in plain))


def _first_escaped(found: re.Match[str]) -> str:
    return f"{found[1]}#{ord(found[2])};"


def _lines(chart: Chart) -> Iterator[str]:
    yield "flowchart TD"
    yield f"  accTitle: {_plain(chart.title or chart.name) or 'plan'}"
    yield f"  accDescr: {_plain(chart.describe())}"
    yield from _inside(chart, OUTSIDE, "  ")
    if chart.entry is not None:
        yield '  start(("start"))'
        yield f"  start --> n_{chart.entry}"
    yield from (f"  {_edge(edge)}" for edge in chart.edges)
    yield from (f"  {each}" for each in _CLASSES)


def _inside(chart: Chart, place: Place, indent: str) -> Iterator[str]:
    for node in chart.nodes.values():
        if node.place == place:
            yield indent + _node(node)
    for index, inner in enumerate(chart.boxes):
        if inner[:-1] == place:
            yield f'{indent}subgraph r{index}["{escaped(chart.boxes[inner])}"]'
            yield from _inside(chart, inner, indent + "  ")
            yield f"{indent}end"


def _node(node: Node) -> str:
    before, after = _SHAPES.get(node.look, ('["', '"]'))
    name = f"{escaped(node.title)}<br/>{escaped(node.id)}" if node.title else escaped(node.id)
    look = "" if node.look == "step" else f":::{node.look}"
    return f"n_{node.id}{before}{name}<br/>{escaped(node.type)}{after}{look}"


def _edge(edge: Edge) -> str:
    condition = f"<br/>{escaped(edge.when)}" if edge.when else "<br/>otherwise" if edge.default else ""
    line = "-.->" if edge.quiet else "-->"
    return f'n_{edge.source} {line}|"{escaped(edge.port)}{condition}"| n_{edge.target}'


def _plain(text: str) -> str:
    """A text for a statement that takes no quotes."""
    return re.sub(r"[;:#{}%]+", " ", _CONTROL.sub(" ", text)).strip()
