"""The order within each layer: as few crossings as barycentres find, beginning with the order of the document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from loopstep.drawing.items import Item, Layers, Link

SWEEPS = 12
LARGE = 4000  # segments; above, fewer sweeps
FEW = 4


def arrange(layers: Layers) -> None:
    """Order every row in place."""
    above: dict[int, list[Link]] = {}
    below: dict[int, list[Link]] = {}
    for segment in layers.segments:
        below.setdefault(id(segment.source), []).append(segment)
        above.setdefault(id(segment.target), []).append(segment)
    _as_walked(layers, below)
    position = {id(item): float(index) for row in layers.rows for index, item in enumerate(row)}
    best, least = [list(row) for row in layers.rows], _crossings(layers, below, position)
    for sweep in range(FEW if len(layers.segments) > LARGE else SWEEPS):
        if not least:
            break
        if sweep % 2:
            _sweep(layers.rows[-2::-1], below, position, lambda link: (link.target, link.into))
        else:
            _sweep(layers.rows[1:], above, position, lambda link: (link.source, link.out))
        found = _crossings(layers, below, position)
        if found < least:
            best, least = [list(row) for row in layers.rows], found
    layers.rows[:] = best


def _as_walked(layers: Layers, below: dict[int, list[Link]]) -> None:
    """The order in which a walk down the picture meets the items, failures last."""
    met: dict[int, None] = {}
    waiting = [item for row in reversed(layers.rows) for item in reversed(row)]
    while waiting:
        item = waiting.pop()
        if id(item) in met:
            continue
        met[id(item)] = None
        onward = sorted(below.get(id(item), ()), key=lambda link: link.weight < 1)
        waiting.extend(link.target for link in reversed(onward))
    rank = {one: index for index, one in enumerate(met)}
    for row in layers.rows:
        row.sort(key=lambda item: rank[id(item)])


def _sweep(
    rows: Sequence[list[Item]],
    links: dict[int, list[Link]],
    position: dict[int, float],
    end: Callable[[Link], tuple[Item, float | None]],
) -> None:
    for row in rows:
        middle = {id(item): _barycentre(item, links.get(id(item), ()), position, end) for item in row}
        row.sort(key=lambda item: middle[id(item)])
        position.update((id(item), float(index)) for index, item in enumerate(row))


def _barycentre(
    item: Item,
    links: Sequence[Link],
    position: dict[int, float],
    end: Callable[[Link], tuple[Item, float | None]],
) -> float:
    if not links:
        return position[id(item)]
    return sum(_at(*end(link), position) for link in links) / len(links)


def _at(item: Item, shift: float | None, position: dict[int, float]) -> float:
    """The place of a line's end in its row, as a number of items."""
    return position[id(item)] + ((shift or 0.0) / (item.width + 1) * 0.9)


def _crossings(layers: Layers, below: dict[int, list[Link]], position: dict[int, float]) -> int:
    """How many pairs of segments cross: inversions, counted with a Fenwick tree."""
    total = 0
    for row in layers.rows[:-1]:
        ends = sorted(
            (_at(item, link.out, position), _at(link.target, link.into, position))
            for item in row
            for link in below.get(id(item), ())
        )
        total += _inversions([end for _, end in ends])
    return total


def _inversions(values: list[float]) -> int:
    if len(values) < 2:
        return 0
    place = {value: index + 1 for index, value in enumerate(sorted(set(values)))}
    tree = [0] * (len(place) + 1)
    found = 0
    for seen, value in enumerate(values):
        index, not_above = place[value], 0
        while index:
            not_above += tree[index]
            index &= index - 1
        found += seen - not_above
        index = place[value]
        while index < len(tree):
            tree[index] += 1
            index += index & -index
    return found
