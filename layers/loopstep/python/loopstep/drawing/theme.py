"""Colours and fonts of pictures. Written out twice instead of as CSS variables, which not every renderer knows."""

from __future__ import annotations

import re

SANS = 'system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans","Noto Sans CJK SC","PingFang SC",sans-serif'
MONO = 'ui-monospace,"SFMono-Regular","DejaVu Sans Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace'

_SHAPE = (
    f"text{{font-family:{SANS};font-size:11px;text-anchor:middle}}"
    "text[text-anchor=start]{text-anchor:start}"
    ".name{font-size:13px;font-weight:600}"
    f".when,.code{{font-family:{MONO}}}"
    ".title,.head1{font-weight:600}"
    ".line{fill:none;stroke-width:1.4}"
    ".line.quiet{stroke-dasharray:4 3;stroke-width:1.2}"
    ".node rect,.card rect{stroke-width:1.2}"
    ".box rect,.area rect{stroke-width:1}"
    ".label rect{stroke:none}"
    ".head{stroke:none}"
)

# what: (light, dark)
_FILLS = {
    ".paper": ("#ffffff", "#0f1216"),
    "text": ("#1c2330", "#e4e9f0"),
    ".type,.port,.note": ("#5a6475", "#9aa6b8"),
    ".when,.code": ("#7a3e00", "#f0b672"),
    ".else": ("#5a6475", "#9aa6b8"),
    ".title": ("#3d4a63", "#b6c3d9"),
    ".quiet .port": ("#a8403a", "#f0918a"),
    ".label rect": ("#ffffff", "#0f1216"),
    ".label.inside rect": ("#f7f8fb", "#161b23"),
    ".label.title rect": ("none", "none"),
    ".start circle": ("#1c2330", "#e4e9f0"),
    ".head.way": ("#5b6880", "#8b98ad"),
    ".head.quiet": ("#c25a53", "#d9746d"),
    ".head.flow": ("#3f6fd8", "#7ea3f2"),
    ".node rect": ("#eef4ff", "#17243b"),
    ".node.outside rect": ("#e8f8f5", "#10302c"),
    ".node.waits rect": ("#fff5e0", "#36290f"),
    ".node.control rect": ("#f3efff", "#261d40"),
    ".node.succeeded rect": ("#e6f7e9", "#12301a"),
    ".node.failed rect": ("#fdeceb", "#3a1716"),
    ".box rect": ("#f7f8fb", "#161b23"),
    ".area.plan-input rect": ("#eef4ff", "#17243b"),
    ".area.run-state rect": ("#fff5e0", "#36290f"),
    ".area.outputs rect": ("#e6f7e9", "#12301a"),
    ".area.edge-bindings rect": ("#f3f4f7", "#1b212b"),
    ".area.activation-inputs rect": ("#f3efff", "#261d40"),
    ".card rect": ("#ffffff", "#0f1216"),
}
_STROKES = {
    ".line": ("#5b6880", "#8b98ad"),
    ".line.quiet": ("#c25a53", "#d9746d"),
    ".line.flow": ("#3f6fd8", "#7ea3f2"),
    ".node rect": ("#4a78c8", "#6f9be6"),
    ".node.outside rect": ("#2a8f7f", "#4fc2b0"),
    ".node.waits rect": ("#c08a1e", "#dfb257"),
    ".node.control rect": ("#7a5bd0", "#a58cf0"),
    ".node.succeeded rect": ("#2f9a4c", "#5cc878"),
    ".node.failed rect": ("#c8453e", "#ea7a73"),
    ".box rect": ("#b4bdcc", "#3c4759"),
    ".area.plan-input rect": ("#4a78c8", "#6f9be6"),
    ".area.run-state rect": ("#c08a1e", "#dfb257"),
    ".area.outputs rect": ("#2f9a4c", "#5cc878"),
    ".area.edge-bindings rect": ("#8a94a6", "#687486"),
    ".area.activation-inputs rect": ("#7a5bd0", "#a58cf0"),
    ".card rect": ("#c8cfdb", "#3c4759"),
    ".line.reads": ("#8a94a6", "#687486"),
}


def style() -> str:
    """The style sheet of a picture."""
    dark = _rules(1)
    return f"{_SHAPE}{_rules(0)}@media (prefers-color-scheme:dark){{{dark}}}"


def sheet(within: str) -> str:
    """The same for pictures that stand in a page, below the selector `within`.

    The page's own choice of light or dark (`data-look`) goes before the system's.
    """
    shape = re.sub(r"(?<=})|^", "\n", _SHAPE).strip().replace("\n", f"\n{within} ").replace(",.", f",{within} .")
    dark = _rules(1, f":root[data-look='dark'] {within} ", "\n")
    unless = _rules(1, f":root:not([data-look='light']) {within} ", "\n")
    light = _rules(0, f"{within} ", "\n")
    return f"{within} {shape}\n{light}{dark}@media (prefers-color-scheme:dark){{\n{unless}}}\n"


def _rules(index: int, within: str = "", end: str = "") -> str:
    whole = [(what, "fill", colours[index]) for what, colours in _FILLS.items()]
    whole += [(what, "stroke", colours[index]) for what, colours in _STROKES.items()]
    return "".join(
        f"{','.join(within + each for each in what.split(','))}{{{which}:{colour}}}{end}"
        for what, which, colour in whole
    )
