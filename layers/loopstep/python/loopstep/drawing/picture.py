"""A picture, laid out: rectangles, texts and lines with absolute places in pixels. `svg` writes it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# M x y · L x y · Q cx cy x y · C x1 y1 x2 y2 x y
Step = tuple[str | float, ...]


class Text(NamedTuple):
    """One line of text. `x` is its middle, or its beginning where `anchor` is "start"; `y` its base line."""

    x: float
    y: float
    text: str
    style: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle with what is written in it. `kind` is node, box, label or start, `tip` what a pointer is told."""

    kind: str
    look: str
    name: str
    x: float
    y: float
    width: float
    height: float
    texts: tuple[Text, ...] = ()
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the graph. `arrow`: it ends at its target. `quiet`: the way of a failure.

    `edge` is the edge that is drawn, "" where lines to one target run together; `way` is that target: node and port.
    """

    steps: tuple[Step, ...]
    arrow: bool
    quiet: bool = False
    tip: str = ""
    look: str = ""
    edge: str = ""
    way: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """`shapes` from back to front: outer boxes before inner ones, then nodes and labels. `title` names the picture."""

    width: float
    height: float
    title: str
    about: str
    shapes: tuple[Shape, ...]
    lines: tuple[Line, ...]


def moved(steps: tuple[Step, ...], dx: float, dy: float) -> tuple[Step, ...]:
    """The line somewhere else."""
    return tuple(
        (step[0], *(value + (dy if index % 2 else dx) for index, value in enumerate(numbers(step)))) for step in steps
    )


def numbers(step: Step) -> list[float]:
    """The coordinates of a step, x and y in turn."""
    return [value for value in step[1:] if not isinstance(value, str)]
