"""Puts the items of a region into layers: longest path from the top, long lines broken into a turn a layer.

Long lines with one target run together from the first layer where they meet, so that a thousand nodes with one common
failure make a picture with one line beside them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from loopstep.drawing.items import BOTTOM, TOP, TURN, Item, Layers, Link

TURN_WIDTH = 8.0
STRAIGHT = 4.0  # how much more a long line wants to be straight than a short one


def layered(items: list[Item], links: list[Link]) -> Layers:
    """The layers from top to bottom; links that close a circle lead back, whatever they said of themselves."""
    _rank(items, links)
    segments: list[Link] = []
    turns: dict[tuple[int, object, int], Item] = {}
    for link in links:
        if not link.back:
            segments += _broken(link, turns)
    backs = [(link, _lane(link, turns, segments)) for link in links if link.back]
    every = [*items, *turns.values()]
    low = min((item.rank for item in every), default=0)
    rows: list[list[Item]] = [[] for _ in range(max((item.rank for item in every), default=0) - low + 1)]
    for item in every:
        item.rank -= low
        rows[item.rank].append(item)
    return Layers(rows, segments, backs)


def _rank(items: list[Item], links: list[Link]) -> None:
    """Longest path; what enters the region stands above everything else, what leaves it below."""
    leaving: dict[int, list[Link]] = {id(item): [] for item in items}
    open_ = dict.fromkeys(map(id, items), 0)
    for link in links:
        if not link.back:
            leaving[id(link.source)].append(link)
            open_[id(link.target)] += 1
    ready = deque(item for item in items if not open_[id(item)])
    waiting = {id(item): item for item in items if open_[id(item)]}
    while ready or waiting:
        if not ready:  # a circle: it is cut open at the item that stands first
            item = next(iter(waiting.values()))
            _turn_back(item, links, waiting, leaving)
            waiting.pop(id(item))
            ready.append(item)
        item = ready.popleft()
        for link in leaving[id(item)]:
            target = link.target
            target.rank = max(target.rank, item.rank + link.length)
            open_[id(target)] -= 1
            if not open_[id(target)] and id(target) in waiting:
                ready.append(waiting.pop(id(target)))
    inner = [item for item in items if item.kind not in (TOP, BOTTOM)]
    top = min((item.rank for item in inner), default=0) - 1
    # a line that leads back into the first layer turns above it
    if any(link.back and link.target.rank == top + 1 for link in links):
        top -= 1
    bottom = max((item.rank for item in inner), default=0) + 1
    for item in items:
        item.rank = top if item.kind == TOP else bottom if item.kind == BOTTOM else item.rank


def _turn_back(item: Item, links: list[Link], waiting: dict[int, Item], leaving: dict[int, list[Link]]) -> None:
    for link in links:
        if link.target is item and not link.back and id(link.source) in waiting:
            link.back = True
            leaving[id(link.source)].remove(link)


def _broken(link: Link, turns: dict[tuple[int, object, int], Item]) -> Iterable[Link]:
    """The link as segments from layer to layer; those that another link of the same way has made already left out."""
    source, out = link.source, link.out
    for rank in range(link.source.rank + 1, link.target.rank):
        key = (id(link.target), link.way, rank)
        known = turns.get(key)
        turn = known or _turn(turns, key, link.way)
        both = source.kind == TURN
        yield Link(source, turn, link.way, 1, STRAIGHT if both else link.weight, out, 0.0)
        if known is not None:
            return
        source, out = turn, 0.0
    weight = link.weight if source is link.source else min(link.weight, 1.0)
    yield Link(source, link.target, link.way, 1, weight, out, link.into)


def _lane(link: Link, turns: dict[tuple[int, object, int], Item], segments: list[Link]) -> list[Item]:
    """The turns of a line that leads up, one beside its source, one beside its target, one in each layer between."""
    lane: list[Item] = []
    for rank in range(link.source.rank, link.target.rank - 1, -1):
        key = (id(link.target), ("back", link.way), rank)
        known = turns.get(key)
        lane.append(known or _turn(turns, key, link.way))
        if len(lane) > 1 and known is None:
            segments.append(Link(lane[-1], lane[-2], None, 1, STRAIGHT, 0.0, 0.0))
    return lane


def _turn(turns: dict[tuple[int, object, int], Item], key: tuple[int, object, int], way: object) -> Item:
    turns[key] = turn = Item(TURN, way, TURN_WIDTH)
    turn.rank = key[2]
    return turn
