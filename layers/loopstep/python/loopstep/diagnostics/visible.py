"""Texts that a terminal shows and does not obey."""

from __future__ import annotations

from unicodedata import category

# Joiners have a shape of their own in emoji and in several scripts, and turn nothing around.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    """The text with control characters, overrides of the writing direction and the like as `\\u{…}`, on one line."""
    if text.isprintable():
        return text
    return "".join(f"\\u{{{ord(c):x}}}" if _steers(c) else c for c in text)


def _steers(character: str) -> bool:
    return category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
