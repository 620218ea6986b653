"""How wide a text is before any font is known: never less than what common sans-serif fonts need, in pixels."""

from __future__ import annotations

import unicodedata
from functools import cache

# Advance widths in thousandths of the font size, at least those of DejaVu Sans and Verdana, the widest of the usual.
_GROUPS = {
    280: "ijl",
    320: " ",
    360: "-/\\|'I",
    400: "!,.:;()[]ft`J",
    460: 'r"',
    540: "s?*_",
    640: "acdeghknopqbuvxyz0123456789${}",
    700: "FLEPSTZ",
    790: "ABCDGHKNRUVXY&",
    860: "w+<=>~^#OQM",
    1000: "mW%@",
}
_ASCII = {character: width for width, characters in _GROUPS.items() for character in characters}
_OTHER_LETTER = 820  # Greek, Cyrillic, accented Latin
_ANY = 1000
_WIDE = 1050  # CJK, emoji
BOLD = 1.12
MONOSPACED = 620  # any character of a monospaced font, CJK aside
ELLIPSIS = "…"


def width(text: str, size: float, bold: bool = False) -> float:
    """Pixels that the text takes in a proportional font of that size, at most."""
    return sum(map(_thousandths, text)) * size / 1000 * (BOLD if bold else 1)


def code_width(text: str, size: float) -> float:
    """Pixels that the text takes in a monospaced font of that size, at most."""
    return sum(max(MONOSPACED, _thousandths(each)) if _is_wide(each) else MONOSPACED for each in text) * size / 1000


def wrapped(text: str, size: float, most: float, lines: int, bold: bool = False) -> list[str]:
    """The text in at most so many lines of at most so many pixels, broken at blanks where possible, else anywhere.

    What does not fit is replaced by an ellipsis.
    """
    found: list[str] = []
    rest = " ".join(text.split())
    while rest:
        if width(rest, size, bold) <= most:
            return [*found, rest]
        if len(found) == lines - 1:
            return [*found, cut(rest, size, most, bold)]
        fits = _fitting(rest, size, most, bold)
        blank = rest.rfind(" ", 0, fits + 1)
        at = blank if blank > fits // 3 else fits
        found.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return found


def cut(text: str, size: float, most: float, bold: bool = False) -> str:
    """As much of the text as fits into so many pixels, with an ellipsis where something is left out."""
    if width(text, size, bold) <= most:
        return text
    room = most - width(ELLIPSIS, size, bold)
    return text[: _fitting(text, size, room, bold)].rstrip() + ELLIPSIS


def _fitting(text: str, size: float, most: float, bold: bool) -> int:
    """How many characters fit, at least one."""
    room = most * 1000 / size / (BOLD if bold else 1)
    for index, character in enumerate(text):
        room -= _thousandths(character)
        if room < 0:
            return max(1, index)
    return len(text)


def _thousandths(character: str) -> int:
    found = _ASCII.get(character)
    return found if found is not None else _beyond_ascii(character)


@cache
def _beyond_ascii(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if _is_wide(character):
        return _WIDE
    code = ord(character)
    return _OTHER_LETTER if 0xA0 < code < 0x530 and unicodedata.category(character) in ("Ll", "Lo") else _ANY


def _is_wide(character: str) -> bool:
    return ord(character) > 0x7E and unicodedata.east_asian_width(character) in "WF"
