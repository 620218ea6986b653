"""The marks around data in prompts, and what is done with a text that holds them itself.

A model reads `＜/data＞` or `</ｄａｔａ>` as readily as `</data>`, so a mark is told by what it looks like.
"""

from __future__ import annotations

import re

_OPENING = re.compile("[<＜﹤‹˂ᐸ❮⟨≮]")
_SLASH = frozenset("/／⁄∕╱⧸")
_LOOK_ALIKE = {"а": "a", "α": "a", "ɑ": "a", "т": "t", "τ": "t", "ԁ": "d"}  # beside what NFKC folds
_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # blank, though letters or symbols by category
_UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Mn", "Me"))


def marked(text: str) -> str:
    """The text between marks that it cannot close."""
    return f"<data>{defused(text)}</data>"


def defused(text: str) -> str:
    """The text with every `<data` and `</data` in it made harmless, and whatever looks like one."""
    return _OPENING.sub(lambda found: "&lt;" if _is_mark(text, found.end()) else found[0], text)


def _is_mark(text: str, place: int) -> bool:
    """Whether `data` or `/data` stands at this place, as a word: blanks may come before it, unseen characters anywhere.

    Ends at the first other character, so all brackets of a text together take time by its length.
    """
    wanted, slash = "data", True
    while wanted and place < len(text):
        char = text[place]
        place += 1
        if slash and char in _SLASH:
            slash = False
        elif not (_is_unseen(char) or (wanted == "data" and char.isspace())):
            if _folded(char) != wanted[0]:
                return False
            wanted, slash = wanted[1:], False
    return not wanted and not re.match(r"\w", text[place : place + 1])


def _is_unseen(char: str) -> bool:
    if char.isascii():
        return not char.isprintable() and not char.isspace()
    import unicodedata  # only texts beyond ASCII need it

    return char in _UNSEEN or unicodedata.category(char) in _UNSEEN_CATEGORIES


def _folded(char: str) -> str:
    if char.isascii():
        return char.lower()
    import unicodedata

    folded = unicodedata.normalize("NFKC", char).casefold()
    return _LOOK_ALIKE.get(folded, folded)
