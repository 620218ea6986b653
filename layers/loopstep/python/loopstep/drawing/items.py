"""What one region's layout arranges in layers, and the links between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NODE, BOX, LABEL, TURN, TOP, BOTTOM, BEGIN = "node", "box", "label", "turn", "top", "bottom", "start"

# Pixels that stay free on either side. A turn is where a long line passes through a layer.
_MARGIN = {NODE: 14.0, BOX: 14.0, LABEL: 5.0, TURN: 6.0, TOP: 8.0, BOTTOM: 8.0, BEGIN: 14.0}


class Item:
    """Something in a layer: `x` is its middle, `y` its top; `key` says what it stands for."""

    __slots__ = ("height", "key", "kind", "lifted", "margin", "rank", "width", "x", "y")

    def __init__(self, kind: str, key: Any, width: float = 0, height: float = 0) -> None:
        self.kind, self.key, self.width, self.height = kind, key, width, height
        self.margin = _MARGIN[kind]
        self.rank = 0
        self.lifted = False  # a label that stands right below its node, above its own layer
        self.x = self.y = 0.0

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height


@dataclass(slots=True, eq=False)
class Link:
    """A line between two items. `out` and `into`: where it leaves and arrives, from the middle of each; None: anywhere.

    `way` names the target of the line: lines of one way may run together. `back`: it leads up, into a loop.
    """

    source: Item
    target: Item
    way: Any
    length: int = 1  # layers at least
    weight: float = 1.0
    out: float | None = None
    into: float | None = None
    back: bool = False


@dataclass(slots=True, eq=False)
class Layers:
    """A region, layered: every segment leads from one layer to the next one below."""

    rows: list[list[Item]]
    segments: list[Link]
    backs: list[tuple[Link, list[Item]]]  # a line that leads up, and its turns from the lowest to the highest
