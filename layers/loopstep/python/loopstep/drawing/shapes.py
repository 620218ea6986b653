"""How large nodes, labels and box titles are, and what is written in them."""

from __future__ import annotations

from loopstep.drawing.chart import Chart, Edge, Node, Place
from loopstep.drawing.picture import Shape, Text
from loopstep.drawing.widths import code_width, width, wrapped

NAME, SMALL, CODE = 13.0, 11.0, 11.0  # font sizes, pixels
NAME_LINE, SMALL_LINE = 17.0, 15.0
WIDEST_NAME = 220.0
WIDEST_LABEL = 210.0
LEAST_TITLE = 190.0
TITLE_LINES = 3
LEAST_NODE = 92.0
START_SIZE = 14.0
LABEL_LINES = 3


def node_shape(node: Node) -> Shape:
    """A node at the origin: its title or id, then id and type."""
    names = wrapped(node.title or node.id, NAME, WIDEST_NAME, 2, bold=True)
    under = f"{node.id} · {node.type}" if node.title else node.type
    small = wrapped(under, SMALL, WIDEST_NAME, 2)
    wide = max([*(width(each, NAME, bold=True) for each in names), *(width(each, SMALL) for each in small)])
    wide = max(LEAST_NODE, wide + 24)
    y = 7.0
    texts = []
    for style, lines, height in (("name", names, NAME_LINE), ("type", small, SMALL_LINE)):
        for line in lines:
            y += height
            texts.append(Text(wide / 2, y - 4, line, style))
    tip = f"{node.id} ({node.type})" + (f": {node.title}" if node.title else "")
    return Shape("node", node.look, node.id, 0, 0, wide, y + 7, tuple(texts), tip)


def label_shape(edge: Edge, inside: bool) -> Shape:
    """An edge's label at the origin: its port, and when it is taken. `inside`: it stands in a box."""
    lines = [("port", edge.port)]
    lines += [("when", line) for line in code_lines(edge.when, WIDEST_LABEL, LABEL_LINES)]
    lines += [("else", "otherwise")] if edge.default else []
    wide = max(code_width(text, CODE) if style == "when" else width(text, SMALL) for style, text in lines) + 8
    texts = [Text(wide / 2, index * 13 + 11, text, style) for index, (style, text) in enumerate(lines)]
    look = ("quiet " if edge.quiet else "") + ("inside" if inside else "")
    return Shape("label", look.strip(), edge.id, 0, 0, wide, len(lines) * 13 + 4, tuple(texts))


def title_shape(chart: Chart, place: Place, room: float) -> Shape:
    """A box's title at the origin, in lines as wide as the room that is there anyway."""
    lines = wrapped(chart.boxes[place], SMALL, max(LEAST_TITLE, room), TITLE_LINES, bold=True)
    wide = max(width(line, SMALL, bold=True) for line in lines)
    texts = [Text(0, 15 + index * 14, line, "title", "start") for index, line in enumerate(lines)]
    return Shape("label", "title", "", 0, 0, wide, 10.0 + 14 * len(lines), tuple(texts))


def code_lines(text: str, most: float, lines: int) -> list[str]:
    """An expression in lines of a monospaced font, broken at blanks where possible; the rest as an ellipsis."""
    found: list[str] = []
    rest = " ".join(text.split())
    while rest:
        if code_width(rest, CODE) <= most:
            return [*found, rest]
        fits = next(at for at in range(len(rest), 0, -1) if at == 1 or code_width(rest[:at], CODE) <= most)
        if len(found) == lines - 1:
            return [*found, rest[: fits - 1].rstrip() + "…"]
        blank = rest.rfind(" ", 0, fits + 1)
        at = blank if blank > fits // 3 else fits
        found.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return found
