"""A picture as SVG: one file for light and dark, readable without CSS variables, with a title and a description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zlib import crc32

from loopstep.drawing.picture import Line, Picture, Shape, Step, Text, numbers
from loopstep.drawing.theme import style

# XML 1.0 has no place for these, not even escaped.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_STEERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # would turn the writing direction of what follows


def svg(picture: Picture) -> str:
    """The whole document, ending with a line break. The same picture gives the same text."""
    body = [
        *_shapes(picture.shapes, ("box", "area")),
        *map(_line, picture.lines),
        *_shapes(picture.shapes, ("start", "node", "card")),
    ]
    body += _shapes(picture.shapes, ("label",))
    mark = f"ls{crc32(''.join(body).encode()):08x}"
    width, height = _number(picture.width), _number(picture.height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="{mark}-title {mark}-about" class="loopstep">'
    )
    texts = (
        f'<title id="{mark}-title">{text(picture.title)}</title>\n<desc id="{mark}-about">{text(picture.about)}</desc>'
    )
    paper = f'<rect class="paper" width="{width}" height="{height}"/>'
    lines = [head, texts, f"<style>{style()}</style>", _arrows(mark), paper, *body, "</svg>"]
    return "\n".join(lines).replace("@mark", mark) + "\n"


def text(value: str) -> str:
    """A text as XML has it between tags and in attributes; what XML cannot hold becomes U+FFFD."""
    value = _STEERING.sub("", _FORBIDDEN.sub("\ufffd", value))
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _arrows(mark: str) -> str:
    head = 'viewBox="0 0 8 8" refX="7.2" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"'
    return (
        "<defs>"
        + "".join(
            f'<marker id="{mark}-{name}" {head}><path class="head {name}" d="M0,0.6 L8,4 L0,7.4 z"/></marker>'
            for name in ("way", "quiet", "flow")
        )
        + "</defs>"
    )


def _shapes(shapes: tuple[Shape, ...], kinds: tuple[str, ...]) -> Iterator[str]:
    return (_shape(shape) for shape in shapes if shape.kind in kinds)


def _shape(shape: Shape) -> str:
    tip = f"<title>{text(shape.tip)}</title>" if shape.tip else ""
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" '
    place += f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
    if shape.kind == "start":
        radius = _number(shape.width / 2)
        middle = f'cx="{_number(shape.x + shape.width / 2)}" cy="{_number(shape.y + shape.height / 2)}"'
        return f'<g class="start">{tip}<circle {middle} r="{radius}"/></g>'
    round_ = {"node": 8, "box": 10, "label": 3}.get(shape.kind, 6)
    if shape.look in ("succeeded", "failed"):
        round_ = int(min(shape.height / 2, 20))
    name = f' data-{"region" if shape.kind == "box" else "id"}="{text(shape.name)}"' if shape.name else ""
    inner = "".join(map(_text, shape.texts))
    look = f" {shape.look}" if shape.look else ""
    return f'<g class="{shape.kind}{look}"{name}>{tip}<rect {place} rx="{round_}"/>{inner}</g>'


def _text(line: Text) -> str:
    anchor = "" if line.anchor == "middle" else f' text-anchor="{line.anchor}"'
    return f'<text class="{line.style}" x="{_number(line.x)}" y="{_number(line.y)}"{anchor}>{text(line.text)}</text>'


def _line(line: Line) -> str:
    look = " ".join(filter(None, ["line", "quiet" if line.quiet else "", line.look]))
    head = "quiet" if line.quiet else "flow" if line.look.startswith("flow") else "way"
    end = f' marker-end="url(#@mark-{head})"' if line.arrow else ""
    tip = f"<title>{text(line.tip)}</title>" if line.tip else ""
    path = " ".join(map(_step, line.steps))
    way = f' data-edge="{text(line.edge)}"' if line.edge else ""
    way += f' data-way="{text(line.way)}"' if line.way else ""
    drawn = f'<path class="{look}" d="{path}"{way}{end}'
    return f"{drawn}>{tip}</path>" if tip else f"{drawn}/>"


def _step(step: Step) -> str:
    return f"{step[0]}{' '.join(map(_number, numbers(step)))}"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
