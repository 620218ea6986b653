"""The lines of a region: upright through layers, bent between them, so that no line runs through a node."""

from __future__ import annotations

from dataclasses import replace

from loopstep.drawing.items import BOTTOM, BOX, LABEL, NODE, TOP, TURN, Item, Layers, Link
from loopstep.drawing.picture import Line, Step, numbers

APART = 9.0  # between lines that leave a node at one corner
CORNER = 12.0  # how near to a node's corner a line may come, and how round it turns
STRAIGHT = 0.5  # pixels that count as none


def routes(layers: Layers, tops: list[float], quiet: set[tuple[str, str]]) -> list[Line]:
    """`tops`: the top of each layer, and the bottom of the last. Lines of one way are drawn once where they run on."""
    below: dict[int, list[Link]] = {}
    for segment in layers.segments:
        if segment.way is not None:
            below.setdefault(id(segment.source), []).append(segment)
    bottoms = [
        max((item.bottom for item in row if not item.lifted), default=tops[rank])
        for rank, row in enumerate(layers.rows)
    ]
    places = _leaving(layers)
    lines: list[Line] = []
    begun: dict[int, tuple[int, int]] = {}  # turns with a line through them: which, and at which of its steps
    parted: dict[int, int] = {}  # lines that others join: at which of their steps the first one does
    for segment in layers.segments:
        source = segment.source
        if segment.way is None or source.kind == LABEL or (source.kind == TURN and id(source) in begun):
            continue
        x = places.get(id(segment), source.x + (segment.out or 0.0))
        lines.append(_line(segment, x, below, tops, bottoms, quiet, begun, len(lines), parted))
    lines = [piece for index, line in enumerate(lines) for piece in _pieces(line, parted.get(index))]
    return lines + [_back(link, lane, tops, bottoms, layers, quiet) for link, lane in layers.backs]


def _line(
    segment: Link,
    x: float,
    below: dict[int, list[Link]],
    tops: list[float],
    bottoms: list[float],
    quiet: set[tuple[str, str]],
    begun: dict[int, tuple[int, int]],
    index: int,
    parted: dict[int, int],
) -> Line:
    """From a node, a box or a gate down to its target, or to where a line to the same target is already drawn."""
    way = segment.way
    item, target = segment.source, segment.target
    edge = str(target.key) if target.kind == LABEL else ""
    steps: list[Step] = [("M", x, item.y + item.height)]
    while True:
        arrives = _arrives(segment, x)
        bottom, top = (item.bottom, target.y) if target.lifted else (bottoms[item.rank], tops[target.rank])
        _bend(steps, x, bottom, arrives, top)
        x = arrives
        joined = target.kind == TURN and id(target) in begun
        if joined:
            other, step = begun[id(target)]
            parted[other] = min(step, parted.get(other, step))
        else:
            begun[id(target)] = (index, len(steps))
        onward = [each for each in below.get(id(target), ()) if each.way == way]
        if target.kind not in (LABEL, TURN) or joined or not onward:
            break
        segment = onward[0]
        item, target = segment.source, segment.target
        steps.append(("L", x, bottoms[item.rank]))
    is_quiet = segment.weight < 1 or way in quiet
    return Line(tuple(steps), target.kind == NODE, is_quiet, edge=edge, way=".".join(way))


def _pieces(line: Line, step: int | None) -> list[Line]:
    """The line; where others join it, what is one edge's alone and what they share."""
    if step is None or not line.edge or step >= len(line.steps):
        return [line]
    x, y = numbers(line.steps[step - 1])[-2:]
    own = replace(line, steps=line.steps[:step], arrow=False)
    return [own, replace(line, steps=(("M", x, y), *line.steps[step:]), edge="")]


def _leaving(layers: Layers) -> dict[int, float]:
    """Where lines leave a node: straight above where they go, if the node is that wide, and apart from each other."""
    by_node: dict[int, list[Link]] = {}
    for segment in layers.segments:
        if segment.source.kind == NODE and segment.way is not None:
            by_node.setdefault(id(segment.source), []).append(segment)
    places: dict[int, float] = {}
    for links in by_node.values():
        links.sort(key=lambda link: link.target.x)
        item = links[0].source
        apart = min(APART, (item.width - 2 * CORNER) / len(links))
        low = [_within(item, link.target.x) for link in links]
        for index in range(1, len(low)):
            low[index] = max(low[index], low[index - 1] + apart)
        edge = item.right - CORNER
        for index in range(len(low) - 1, -1, -1):
            low[index] = min(low[index], edge)
            edge = low[index] - apart
        places |= {id(link): x for link, x in zip(links, low, strict=True)}
    return places


def _arrives(segment: Link, x: float) -> float:
    item = segment.target
    if item.kind in (LABEL, TURN, TOP, BOTTOM):
        return item.x
    if segment.into is not None or item.kind == BOX:
        return item.x + (segment.into or 0.0)
    return _within(item, x)


def _within(item: Item, x: float) -> float:
    corner = min(CORNER, item.width / 2)
    return min(max(x, item.left + corner), item.right - corner)


def _bend(steps: list[Step], x: float, bottom: float, to: float, top: float) -> None:
    """On from (x, …): upright to the end of the layer, then to the place in the next one."""
    if steps[-1][-1] != bottom:
        steps.append(("L", x, bottom))
    if abs(to - x) < STRAIGHT:
        steps.append(("L", to, top))
    else:
        middle = (bottom + top) / 2
        steps.append(("C", x, middle, to, middle, to, top))


def _back(
    link: Link, lane: list[Item], tops: list[float], bottoms: list[float], layers: Layers, quiet: set[tuple[str, str]]
) -> Line:
    """Down out of the body, around, and up into the loop from above."""
    source, target = link.source, link.target
    x = source.x + (link.out or 0.0)
    low = bottoms[source.rank] + 12
    steps: list[Step] = [("M", x, source.y if source.kind == LABEL else source.bottom)]
    _around(steps, x, low, lane[0].x, bottoms[source.rank])
    for turn in lane[1:]:
        before = lane[lane.index(turn) - 1]
        _bend_up(steps, before, turn, tops, bottoms)
    last = lane[-1]
    high = tops[target.rank] - 14
    into = _within(target, target.right - CORNER if last.x > target.x else target.left + CORNER)
    steps.append(("L", last.x, tops[target.rank]))
    _around(steps, last.x, high, into, target.y)
    edge = str(source.key) if source.kind == LABEL else ""
    return Line(tuple(steps), target.kind == NODE, link.way in quiet, look="back", edge=edge, way=".".join(link.way))


def _bend_up(steps: list[Step], low: Item, high: Item, tops: list[float], bottoms: list[float]) -> None:
    steps.append(("L", low.x, tops[low.rank]))
    if abs(high.x - low.x) < STRAIGHT:
        steps.append(("L", high.x, bottoms[high.rank]))
    else:
        middle = (tops[low.rank] + bottoms[high.rank]) / 2
        steps.append(("C", low.x, middle, high.x, middle, high.x, bottoms[high.rank]))


def _around(steps: list[Step], x: float, y: float, to: float, end: float) -> None:
    """From (x, …) to the height y, across, and on to (to, end): two rounded corners."""
    side = 1.0 if to >= x else -1.0
    round_ = min(CORNER * 0.7, abs(to - x) / 2)
    came = steps[-1][-1]
    first = 1.0 if isinstance(came, float) and y >= came else -1.0
    second = 1.0 if end >= y else -1.0
    steps.append(("L", x, y - first * round_))
    steps.append(("Q", x, y, x + side * round_, y))
    steps.append(("L", to - side * round_, y))
    steps.append(("Q", to, y, to, y + second * round_))
    steps.append(("L", to, end))
