"""The five places for data as a picture: what is declared where, which binding reads what, and who may read it.

Three columns, so that lines run between them only: what a run knows (plan input, state, outputs), the bindings of the
edges, the inputs of the nodes. `services.describe_places` describes what is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from loopstep.drawing.picture import Line, Picture, Shape, Text
from loopstep.drawing.widths import code_width, cut, width, wrapped

PLAN_INPUT = ("Plan input", "plan.input.* can be read everywhere; it never changes during a run")
STATE = ("Run state", "state.* can be read everywhere, as of the last commit; only set_variable writes it")
OUTPUTS = ("Outputs", "output.* can be read on edges that leave the port, nowhere else")
BINDINGS = (
    "Edge bindings",
    "each builds the input of the node that its edge leads to; what an edge may read stands in it",
)
INPUTS = ("Activation inputs", "input.* can be read in the node's own config and on the edges that leave it")

ROW, HEAD, NOTE, PAD, CARD_GAP, AREA_GAP, GAP, MARGIN = 18.0, 20.0, 15.0, 10.0, 10.0, 22.0, 130.0, 16.0
SMALL, NAME = 11.0, 13.0
WIDEST, NARROWEST = 380.0, 200.0


@dataclass(frozen=True, slots=True)
class Card:
    """A box with a name, a note and rows; `rows`: (key that lines use, text)."""

    name: str
    note: str
    rows: tuple[tuple[str, str], ...]
    tip: str = ""

    @property
    def height(self) -> float:
        return HEAD + (NOTE if self.note else 0) + ROW * len(self.rows) + 6


@dataclass(slots=True)
class Area:
    """One of the five: title, who may read it, and its cards."""

    title: str
    visible: str
    cards: list[Card]
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0
    places: dict[str, float] = field(default_factory=dict)  # of rows: the height of their middle


def lay_out_data(data: dict[str, Any], empty: bool = True) -> Picture:
    """The picture of what `describe_places` gives. Without `empty`, places that hold nothing are left out."""
    columns = _columns(data) if empty else [_filled(column) for column in _columns(data)]
    x, bottom = MARGIN, 0.0
    for column in filter(None, columns):
        wide = _place(column, x)
        bottom = max(bottom, column[-1].y + column[-1].height)
        x += wide + GAP
    shapes = [shape for column in columns for area in column for shape in _shapes(area)]
    lines = tuple(_lines(data, columns))
    title = f"{data['title'] or data['name']}: data"
    about = (
        f"Where data of the plan {data['name']} lives and which references are visible where: plan input, run state, "
        f"outputs, edge bindings, activation inputs; {len(data['edges'])} edges, {len(data['nodes'])} nodes."
    )
    return Picture(x - GAP + MARGIN, bottom + MARGIN, title, about, tuple(shapes), lines)


def _columns(data: dict[str, Any]) -> list[list[Area]]:
    outputs = [
        Card(
            f"{node['id']}.{each['port']}",
            "",
            _fields(f"output:{node['id']}.{each['port']}", each["fields"], "output."),
        )
        for node in data["nodes"]
        for each in node["outputs"]
    ]
    outputs.append(Card("plan output", "the input of a succeeded end", _fields("plan.output", data["output"], "")))
    known = [
        Area(*PLAN_INPUT, [Card("plan input", "", _fields("plan.input", data["input"], "plan.input."))]),
        Area(*STATE, [Card("state", "", _fields("state", data["state"], "state."))]),
        Area(*OUTPUTS, outputs),
    ]
    bindings = Area(*BINDINGS, [_binding(edge) for edge in data["edges"]])
    inputs = Area(*INPUTS, [_input(node) for node in data["nodes"]])
    return [known, [bindings], [inputs]]


def _filled(column: list[Area]) -> list[Area]:
    """The areas that hold something, with the cards that do; bindings and inputs stay, lines end there."""
    for area in column:
        rows = [(card, tuple(row for row in card.rows if row != ("", "(none)"))) for card in area.cards]
        area.cards = [replace(card, rows=kept) for card, kept in rows if kept]
    return [area for area in column if area.cards or len(column) == 1]


def _fields(key: str, fields: dict[str, str], root: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"{key}.{name}", f"{root}{name}: {kind}") for name, kind in fields.items()) or (("", "(none)"),)


def _binding(edge: dict[str, Any]) -> Card:
    source = f"{edge['source']}.{edge['port']}" if edge["source"] else "the invocation"
    rows = tuple((f"edge:{edge['id']}.{index}", row["text"]) for index, row in enumerate(edge["rows"]))
    name = f"{edge['id']}: {source} → {edge['target']}"
    return Card(name, f"may read {', '.join(edge['sees'])}", rows or (("", "(binds nothing)"),), edge.get("when") or "")


def _input(node: dict[str, Any]) -> Card:
    rows = _fields(f"input:{node['id']}", node["input"], "input.")
    rows += tuple(("", row["text"]) for row in node["sets"])
    ends = "; is the plan output" if node["ends"] else ""
    return Card(f"{node['id']} ({node['type']})", f"may read {', '.join(node['sees'])}{ends}", rows)


def _place(column: list[Area], x: float) -> float:
    """Set the places of a column's areas, one below the other; the column's width."""
    wide = max(_wide(area) for area in column)
    y = MARGIN
    for area in column:
        area.x, area.y, area.width = x, y, wide
        at = y + 26 + NOTE * len(_visible(area)) + 4
        for card in area.cards:
            row = at + HEAD + (NOTE if card.note else 0)
            area.places |= {key: row + ROW * (index + 0.5) for index, (key, _) in enumerate(card.rows) if key}
            at += card.height + CARD_GAP
        area.height = at - y
        y += area.height + AREA_GAP
    return wide


def _wide(area: Area) -> float:
    texts = [width(card.name, NAME, bold=True) for card in area.cards]
    texts += [width(card.note, SMALL) for card in area.cards]
    texts += [code_width(text, SMALL) for card in area.cards for _, text in card.rows]
    return min(WIDEST, max([NARROWEST, *texts]) + 2 * PAD) + 2 * PAD


def _visible(area: Area) -> list[str]:
    return wrapped(area.visible, SMALL, area.width - 2 * PAD, 4)


def _shapes(area: Area) -> Iterator[Shape]:
    texts = [Text(area.x + PAD, area.y + 19, area.title, "name", "start")]
    for index, line in enumerate(_visible(area)):
        texts.append(Text(area.x + PAD, area.y + 26 + NOTE * (index + 1) - 5, line, "note", "start"))
    name = area.title.lower().replace(" ", "-")
    yield Shape("area", name, "", area.x, area.y, area.width, area.height, tuple(texts))
    y = area.y + 26 + NOTE * len(_visible(area)) + 4
    for card in area.cards:
        yield _card(card, area.x + PAD, y, area.width - 2 * PAD)
        y += card.height + CARD_GAP


def _card(card: Card, x: float, y: float, wide: float) -> Shape:
    room = wide - 2 * PAD
    texts = [Text(x + PAD, y + 15, cut(card.name, SMALL, room, bold=True), "head1", "start")]
    if card.note:
        texts.append(Text(x + PAD, y + HEAD + 10, cut(card.note, SMALL, room), "note", "start"))
    top = y + HEAD + (NOTE if card.note else 0)
    for index, (_, text) in enumerate(card.rows):
        texts.append(Text(x + PAD, top + ROW * index + 13, _code_cut(text, room), "code", "start"))
    tip = "\n".join([card.name, *([f"when {card.tip}"] if card.tip else []), *(text for _, text in card.rows)])
    return Shape("card", "", card.name, x, y, wide, card.height, tuple(texts), tip)


def _code_cut(text: str, most: float) -> str:
    if code_width(text, SMALL) <= most:
        return text
    kept = len(text)
    while kept > 1 and code_width(text[:kept] + "…", SMALL) > most:
        kept -= 1
    return text[:kept] + "…"


# -- lines ------------------------------------------------------------------------------------------------------------


def _lines(data: dict[str, Any], columns: list[list[Area]]) -> Iterator[Line]:
    known, (bindings,), (inputs,) = columns
    left = {key: (area.x + area.width - PAD, y) for area in known for key, y in area.places.items()}
    for edge in data["edges"]:
        for index, row in enumerate(edge["rows"]):
            here = bindings.places[f"edge:{edge['id']}.{index}"]
            yield from _reads(edge, row["reads"], here, left, bindings, inputs)
            goal = inputs.places.get(f"input:{edge['target']}.{row['target']}")
            if goal is not None:
                yield _curve(bindings.x + bindings.width - PAD, here, inputs.x + PAD, goal, "flow", row["text"])


def _reads(
    edge: dict[str, Any],
    reads: Iterable[str],
    here: float,
    left: dict[str, tuple[float, float]],
    bindings: Area,
    inputs: Area,
) -> Iterator[Line]:
    for reference in dict.fromkeys(reads):
        parts = reference.replace("[", ".").split(".")
        if parts[0] == "input" and edge["source"]:
            goal = inputs.places.get(f"input:{edge['source']}.{parts[1]}" if len(parts) > 1 else "")
            if goal is not None:
                start = inputs.x + PAD
                yield _curve(start, goal, bindings.x + bindings.width - PAD, here, "flow reads", reference)
            continue
        key = ".".join(parts[:3] if parts[0] == "plan" else parts[:2])
        key = f"output:{edge['source']}.{edge['port']}.{parts[1]}" if parts[0] == "output" and len(parts) > 1 else key
        if key in left:
            yield _curve(*left[key], bindings.x + PAD, here, "flow reads", reference)


def _curve(x: float, y: float, to_x: float, to_y: float, look: str, tip: str) -> Line:
    bend = (to_x - x) / 2
    return Line((("M", x, y), ("C", x + bend, y, to_x - bend, to_y, to_x, to_y)), True, False, tip, look)
