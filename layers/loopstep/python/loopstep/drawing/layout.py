"""From a chart to a picture: every region is laid out by itself, the inner ones first, and is one item of the next.

Where a line crosses the border of a region, both sides share one place on it, a *gate*: inside it is an item of the
first or last layer, outside it is where lines meet the box.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from loopstep.drawing.chart import OUTSIDE, START, Chart, Edge, Place
from loopstep.drawing.items import BEGIN, BOTTOM, BOX, LABEL, NODE, TOP, Item, Link
from loopstep.drawing.layers import layered
from loopstep.drawing.order import arrange
from loopstep.drawing.picture import Line, Picture, Shape, Text, moved, numbers
from loopstep.drawing.place import place as set_places
from loopstep.drawing.routes import routes
from loopstep.drawing.shapes import START_SIZE, label_shape, node_shape, title_shape

PAD = 14.0  # inside a box, pixels
MARGIN = 16.0  # around the picture
QUIET_WEIGHT = 0.03  # how much less a failure's line pulls at what it joins

Way = tuple[str, str]  # target node and the port that a line enters


@dataclass(slots=True)
class Region:
    """One region while it is laid out; afterwards everything in it has its place from the region's own corner."""

    place: Place
    items: list[Item] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    nodes: dict[str, Item] = field(default_factory=dict)
    boxes: dict[Place, Item] = field(default_factory=dict)
    tops: dict[Way, Item] = field(default_factory=dict)
    bottoms: dict[Way, Item] = field(default_factory=dict)
    title: Item | None = None
    lines: list[Line] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0

    def add(self, item: Item) -> Item:
        self.items.append(item)
        return item


def lay_out(chart: Chart) -> Picture:
    """The picture of a chart: no two nodes or labels overlap, boxes hold what stands in them and nothing else."""
    shapes = {node.id: node_shape(node) for node in chart.nodes.values()}
    labels = {edge.id: label_shape(edge, bool(chart.nodes[edge.source].place)) for edge in chart.edges}
    regions = {place: Region(place) for place in [OUTSIDE, *chart.boxes]}
    _fill(chart, regions, shapes)
    for edge in chart.edges:
        _wire(chart, regions, edge, labels[edge.id])
    quiet = _quiet_ways(chart)
    for place in sorted(regions, key=len, reverse=True):
        _settle(chart, regions, place, quiet)
    return _compose(chart, regions, shapes, labels)


def _fill(chart: Chart, regions: dict[Place, Region], shapes: dict[str, Shape]) -> None:
    root = regions[OUTSIDE]
    if chart.entry is not None and chart.nodes[chart.entry].place == OUTSIDE:
        root.nodes[START] = root.add(Item(BEGIN, START, START_SIZE, START_SIZE))
    for node in chart.nodes.values():
        region = regions[node.place]
        shape = shapes[node.id]
        region.nodes[node.id] = region.add(Item(NODE, node.id, shape.width, shape.height))
    for place in chart.boxes:
        outer = regions[place[:-1]]
        outer.boxes[place] = outer.add(Item(BOX, place))
    if START in root.nodes and chart.entry is not None:
        root.links.append(Link(root.nodes[START], root.nodes[chart.entry], (chart.entry, "in"), 1))


def _wire(chart: Chart, regions: dict[Place, Region], edge: Edge, label: Shape) -> None:
    """The links of one edge in every region that it passes through."""
    source, target = chart.nodes[edge.source].place, chart.nodes[edge.target].place
    way, weight = (edge.target, edge.enters), QUIET_WEIGHT if edge.quiet else 1.0
    common = 0
    while common < min(len(source), len(target)) and source[common] == target[common]:
        common += 1
    own = regions[source]
    tag = own.add(Item(LABEL, edge.id, label.width, label.height))
    own.links.append(Link(own.nodes[edge.source], tag, way, 1, weight))
    start: Item = tag
    for depth in range(len(source), common, -1):
        region = regions[source[:depth]]
        known = region.bottoms.get(way)
        gate = known or region.bottoms.setdefault(way, region.add(Item(BOTTOM, way)))
        region.links.append(Link(start, gate, way, 1, weight))
        if known is not None:
            return  # from here on its line is one that is drawn already
        start = regions[source[: depth - 1]].boxes[source[:depth]]
    region = regions[source[:common]]
    goal = _toward(region, edge.target, target)
    region.links.append(Link(start, goal, way, 1 if start is tag else 2, weight, back=edge.back and goal.kind == NODE))
    for depth in range(common + 1, len(target) + 1):
        inner = regions[target[:depth]]
        if way in inner.tops:
            return
        inner.tops[way] = inner.add(Item(TOP, way))
        inner.links.append(Link(inner.tops[way], _toward(inner, edge.target, target), way, 1, weight))


def _toward(region: Region, node: str, place: Place) -> Item:
    depth = len(region.place)
    return region.nodes[node] if len(place) == depth else region.boxes[place[: depth + 1]]


def _quiet_ways(chart: Chart) -> set[Way]:
    """Where only failures lead."""
    loud = {(edge.target, edge.enters) for edge in chart.edges if not edge.quiet}
    return {(edge.target, edge.enters) for edge in chart.edges} - loud


def _settle(chart: Chart, regions: dict[Place, Region], place: Place, quiet: set[Way]) -> None:
    """Lay one region out; those in it are done."""
    region = regions[place]
    for inner, box in region.boxes.items():
        done = regions[inner]
        box.width, box.height = done.width, done.height
    for link in region.links:
        if link.source.kind == BOX:
            inside = regions[link.source.key]
            link.out = inside.bottoms[link.way].x - inside.width / 2
        if link.target.kind == BOX:
            inside = regions[link.target.key]
            link.into = inside.tops[link.way].x - inside.width / 2
    layers = layered(region.items, region.links)
    arrange(layers)
    turning = {link.source.rank for link, _ in layers.backs}
    turning |= {link.target.rank - 1 for link, _ in layers.backs}
    edges = set_places(layers, turning)
    bends = routes(layers, edges, quiet)
    _frame(chart, region, [item for row in layers.rows for item in row], bends, edges[-1])


def _frame(chart: Chart, region: Region, items: list[Item], lines: list[Line], height: float) -> None:
    """Moves everything to the region's own corner, with room for border and title."""
    left = min((item.left for item in items), default=0.0)
    right = max((item.right for item in items), default=0.0)
    pad, above = (PAD, 0.0) if region.place else (0.0, 0.0)
    if region.place:
        gates = min((gate.x for gate in region.tops.values()), default=right)
        title = title_shape(chart, region.place, gates - left - PAD)
        left = min(left, gates - title.width - PAD)
        right = max(right, left + title.width)
        region.title = Item(LABEL, title, title.width, title.height)
        region.title.x, region.title.y = pad + title.width / 2, 2.0
        above = title.height - 8
    dx = pad - left
    for item in items:
        item.x += dx
        item.y += above
    region.lines = [replace(line, steps=moved(line.steps, dx, above)) for line in lines]
    lowest = max((y for line in region.lines for step in line.steps for y in numbers(step)[1::2]), default=0.0)
    region.width = right - left + 2 * pad
    region.height = max(height + above, lowest) + (0.0 if region.bottoms else pad)
    for way, gate in region.tops.items():
        region.lines.append(Line((("M", gate.x, 0.0), ("L", gate.x, gate.y)), False, way=".".join(way)))


# -- the whole --------------------------------------------------------------------------------------------------------


def _compose(chart: Chart, regions: dict[Place, Region], shapes: dict[str, Shape], labels: dict[str, Shape]) -> Picture:
    """Everything from its region's corner to its place in the picture."""
    root = regions[OUTSIDE]
    corners = {OUTSIDE: (MARGIN, MARGIN)}
    drawn: list[Shape] = []
    front: list[Shape] = []
    lines: list[Line] = []
    for place in [OUTSIDE, *chart.boxes]:
        region = regions[place]
        x, y = corners[place]
        if region.title is not None:
            drawn.append(Shape("box", "", ".".join(place[-1]), x, y, region.width, region.height))
            front.append(_at(region.title.key, x + region.title.left, y + region.title.y))
        corners |= {inner: (x + box.left, y + box.y) for inner, box in region.boxes.items()}
        lines += [replace(each, steps=moved(each.steps, x, y)) for each in region.lines]
        front += _shapes(region, x, y, shapes, labels)
    size = (root.width + 2 * MARGIN, root.height + 2 * MARGIN)
    return Picture(*size, chart.title or chart.name, chart.describe(), (*drawn, *front), tuple(lines))


def _shapes(region: Region, x: float, y: float, shapes: dict[str, Shape], labels: dict[str, Shape]) -> Iterator[Shape]:
    for item in region.items:
        left, top = x + item.left, y + item.y
        if item.kind == NODE:
            yield _at(shapes[item.key], left, top)
        elif item.kind == LABEL:
            yield _at(labels[item.key], left, top)
        elif item.kind == BEGIN:
            yield Shape("start", "", "", left, top, item.width, item.height, (), "The run starts here.")


def _at(shape: Shape, x: float, y: float) -> Shape:
    texts = tuple(Text(text.x + x, text.y + y, text.text, text.style, text.anchor) for text in shape.texts)
    return Shape(shape.kind, shape.look, shape.name, x, y, shape.width, shape.height, texts, shape.tip)
