"""Where everything in a region stands: x by least squares with the order kept, y by the heights of the layers.

Each row in turn moves as near to its neighbours above and below as its own width allows. That problem, with a fixed
order and least distances, is an isotonic regression; pooling adjacent violators solves it exactly.
"""

from __future__ import annotations

from loopstep.drawing.items import BOX, LABEL, TURN, Item, Layers

ROUNDS = 6
LARGE = 4000  # segments; above, fewer rounds
FEW = 2
GAP = 26.0  # between layers, pixels
GAP_TO_LABELS = 16.0  # before a layer of labels only
GAP_OF_SWEEP = 36.0  # at most so much more, where lines go far to the side
GAP_OF_BACK = 16.0  # more, where a line turns back
_FAINT = 0.001


def place(layers: Layers, turning: set[int] | None = None) -> list[float]:
    """Sets x and y of every item; returns the top of each layer and the bottom of the last.

    `turning`: ranks below which a line turns back.
    """
    above: dict[int, list[tuple[Item, float, float]]] = {}
    below: dict[int, list[tuple[Item, float, float]]] = {}
    for link in layers.segments:
        shift = (link.out or 0.0) - (link.into or 0.0)
        above.setdefault(id(link.target), []).append((link.source, shift, link.weight))
        below.setdefault(id(link.source), []).append((link.target, -shift, link.weight))
    for row in layers.rows:
        _settle(row, [0.0] * len(row), [1.0] * len(row))
    _pull(_pulled(layers.rows, (above,)))
    _pull(_pulled(layers.rows, (below,))[::-1])
    both = _pulled(layers.rows, (above, below))
    for _ in range(FEW if len(layers.segments) > LARGE else ROUNDS):
        _pull(both)
        _pull(both[::-1])
    _straighten(layers.rows, above)
    tops = _stack(layers.rows, turning or set(), _sweeps(layers))
    _lift(layers, tops)
    return tops


Pull = tuple[Item, float, float]  # towards which item, how far beside it, how strongly
Pulled = list[tuple[Item, list[Pull], float]]  # a row: what pulls at each item, and the sum of the strengths


def _pulled(rows: list[list[Item]], sides: tuple[dict[int, list[Pull]], ...]) -> list[Pulled]:
    """The same for all rounds, so it is gathered once."""
    gathered = [[(item, [pull for side in sides for pull in side.get(id(item), ())]) for item in row] for row in rows]
    return [[(item, pulls, _strength(pulls)) for item, pulls in row] for row in gathered]


def _strength(pulls: list[Pull]) -> float:
    total = 0.0
    for pull in pulls:
        total += pull[2]
    return total


def _pull(rows: list[Pulled]) -> None:
    for row in rows:
        wanted, weights = [], []
        for item, pulls, weight in row:
            if weight:
                total = 0.0
                for other, shift, by in pulls:
                    total += (other.x + shift) * by
                wanted.append(total / weight)
                weights.append(weight)
            else:
                wanted.append(item.x)
                weights.append(_FAINT)
        _settle([item for item, _, _ in row], wanted, weights)


def _straighten(rows: list[list[Item]], above: dict[int, list[tuple[Item, float, float]]]) -> None:
    """A last walk down: what has one line from above stands exactly below it, if nothing is in the way."""
    for row in rows:
        wanted, weights = [], []
        for item in row:
            pulls = above.get(id(item), [])
            main = [pull for pull in pulls if pull[2] >= 1] or pulls
            alone = len(main) == 1 and (item.kind == TURN) == (main[0][0].kind == TURN)
            near = alone and abs(main[0][0].x + main[0][1] - item.x) < 60
            wanted.append(main[0][0].x + main[0][1] if near else item.x)
            weights.append(1000.0 if near and item.kind == TURN else 50.0 if near and item.kind != BOX else 1.0)
        _settle(row, wanted, weights)


def _settle(row: list[Item], wanted: list[float], weights: list[float]) -> None:
    """The places nearest to the wanted ones, weighted, at which nothing in the row overlaps."""
    if len(row) == 1:
        row[0].x = wanted[0]
        return
    offset, offsets = 0.0, []
    for index, item in enumerate(row):
        if index:
            before = row[index - 1]
            offset += (before.width + item.width) / 2 + before.margin + item.margin
        offsets.append(offset)
    blocks: list[list[float]] = []  # [middle, weight, how many]
    for want, shift, weight in zip(wanted, offsets, weights, strict=True):
        block = [want - shift, weight, 1.0]
        while blocks and blocks[-1][0] >= block[0]:
            last = blocks.pop()
            whole = last[1] + block[1]
            block = [(last[0] * last[1] + block[0] * block[1]) / whole, whole, last[2] + block[2]]
        blocks.append(block)
    index = 0
    for middle, _, count in blocks:
        for _ in range(int(count)):
            row[index].x = middle + offsets[index]
            index += 1


def _sweeps(layers: Layers) -> list[float]:
    """How far to the side the lines below each layer go, at most."""
    far = [0.0] * len(layers.rows)
    for link in layers.segments:
        rank = link.source.rank
        far[rank] = max(far[rank], abs(link.source.x + (link.out or 0.0) - link.target.x - (link.into or 0.0)))
    return far


def _lift(layers: Layers, tops: list[float]) -> None:
    """Labels of a node that is much lower than its layer stand right below it, where they are no wider than it is."""
    labels: dict[int, list[Item]] = {}
    for link in layers.segments:
        if link.target.kind == LABEL and link.source.bottom + GAP_TO_LABELS < tops[link.target.rank] - GAP:
            labels.setdefault(id(link.source), []).append(link.target)
            item = link.source
            if link.target.left < item.left - item.margin / 2 or link.target.right > item.right + item.margin / 2:
                labels[id(item)].append(item)  # one that is too wide keeps all of them down
    for link in layers.segments:
        found = labels.get(id(link.source), [])
        if found and link.source not in found and link.target in found:
            link.target.y, link.target.lifted = link.source.bottom + GAP_TO_LABELS, True


def _stack(rows: list[list[Item]], turning: set[int], far: list[float]) -> list[float]:
    tops, y = [], 0.0
    for rank, row in enumerate(rows):
        if rank:
            labels = all(item.kind in (LABEL, TURN) for item in row)
            y += (GAP_TO_LABELS if labels else GAP) + min(GAP_OF_SWEEP, far[rank - 1] / 14)
            y += GAP_OF_BACK if rank - 1 in turning else 0.0
        tops.append(y)
        for item in row:
            item.y = y
        y += max((item.height for item in row), default=0.0)
    return [*tops, y]
