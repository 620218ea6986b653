"""Cut an expression text into tokens (grammar.txt). A text that is no token becomes one last token of kind "bad"."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple

from loopstep.expressions.faults import ExprFault

SAFE = 2**53 - 1


class Token(NamedTuple):
    """`kind`: "name", "literal" (number or string, `value` its value), "mark" (`value` its text), "bad" (`value` an
    ExprFault) or "end"."""

    kind: str
    value: Any
    start: int
    end: int


_BLANK = re.compile(r"[ \t\r\n]*")
_ASCII_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERLIKE = re.compile(r"[0-9](?:[eE][+-]?(?=[0-9])|[0-9A-Za-z_]|\.(?=[0-9]))*")
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MARK = re.compile(
    r"===|!==|<=>|==|!=|<=|>=|<>|=<|=>|&&|\|\||\*\*|//|\?\?|\?\.|\{\{|\}\}|[-+*/%^=<>!&|()\[\],.?:;{}$@#~\\`]"
)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")


def tokens(text: str, start: int, end: int) -> list[Token]:
    """The tokens of `text[start:end]`; the last is of kind "end" or "bad"."""
    found: list[Token] = []
    place = start
    while True:
        blank = _BLANK.match(text, place, end)
        place = blank.end() if blank else place
        token = _token(text, place, end)
        found.append(token)
        if token.kind in ("end", "bad"):
            return found
        place = token.end


def _token(text: str, place: int, end: int) -> Token:
    if place >= end:
        return Token("end", None, end, end)
    first = text[place]
    if "0" <= first <= "9":
        return _number(text, place, end)
    if first in "\"'":
        return _string(text, place, end)
    if is_name_start(first):
        return _name(text, place, end)
    mark = _MARK.match(text, place, end)
    if mark:
        return Token("mark", mark[0], place, mark.end())
    return _bad(f"{_shown(first)} has no meaning in an expression", place, place + 1, _meant(first))


def is_name_start(char: str) -> bool:
    """A letter or `_`."""
    return char == "_" or char.isalpha()


def is_name_part(char: str) -> bool:
    """A letter, digit, mark or `_`."""
    return char == "_" or char.isalpha() or char.isdecimal() or unicodedata.category(char)[0] == "M"


def _name(text: str, place: int, end: int) -> Token:
    match = _ASCII_NAME.match(text, place, end)
    stop = match.end() if match else place + 1
    while stop < end and is_name_part(text[stop]):
        stop += 1
    name = text[place:stop]
    return Token("name", name if name.isascii() else unicodedata.normalize("NFC", name), place, stop)


def _number(text: str, place: int, end: int) -> Token:
    match = _NUMBERLIKE.match(text, place, end)
    stop = match.end() if match else place + 1
    written = text[place:stop]
    if not _NUMBER.fullmatch(written):
        return _bad(f"{written} is not a number", place, stop, "numbers are written as in JSON: 10, 0.5, 1e3")
    value = float(written) if len(written) > 15 or not written.isdigit() else int(written)
    if not abs(value) <= SAFE:  # also infinite
        exact = "beyond 9007199254740991" if len(written) < 400 else "too large"
        return _bad("the number is " + exact, place, stop, "larger integers can only be written as texts")
    if isinstance(value, float) and value.is_integer():
        value = int(written) if written.isdigit() else int(value)
        if value > SAFE:
            return _bad("the number is beyond 9007199254740991", place, stop)
    return Token("literal", value, place, stop)


def _string(text: str, place: int, end: int) -> Token:
    quote = text[place]
    pieces: list[str] = []
    at = place + 1
    while at < end:
        char = text[at]
        if char == quote:
            return _closed("".join(pieces), place, at + 1)
        if char < " ":
            return _bad("a control character inside a text", at, at + 1, r"write \n, \t or \u0000")
        if char == "\\":
            piece, width = _escape(text, at, end, quote)
            if width == 0:
                hint = r"the escapes are \" \\ \/ \b \f \n \r \t \u0000" + (r" and \'" if quote == "'" else "")
                return _bad("an escape that does not exist", at, min(at + 2, end), hint)
            pieces.append(piece)
            at += width
        else:
            pieces.append(char)
            at += 1
    return _bad("the text is never closed", place, end, f"add the closing {quote}")


def _closed(value: str, start: int, end: int) -> Token:
    paired = value
    if any("\ud800" <= char <= "\udfff" for char in value):
        paired = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if len(paired.encode("utf-16-le")) != len(value.encode("utf-16-le", "surrogatepass")) or "\ufffd" in paired:
            return _bad("half of a surrogate pair is no character", start, end, "write both halves, or the character")
    return Token("literal", paired, start, end)


def _escape(text: str, at: int, end: int, quote: str) -> tuple[str, int]:
    """(what it stands for, its width), width 0 where it is no escape."""
    char = text[at + 1] if at + 1 < end else ""
    if char in _ESCAPES and char:
        return _ESCAPES[char], 2
    if char == "'" and quote == "'":
        return "'", 2
    if char == "u" and (match := _HEX.match(text, at + 2, end)):
        return chr(int(match[0], 16)), 6
    return "", 0


def _bad(message: str, start: int, end: int, hint: str = "") -> Token:
    return Token("bad", ExprFault("expr.syntax", message, start, end, hint), start, end)


def _shown(char: str) -> str:
    return f'"{char}"' if char.isprintable() else f"U+{ord(char):04X}"


def _meant(char: str) -> str:
    """A hint for typographic and full-width forms of what the grammar knows."""
    if char in "“”„‟":
        return 'write "'
    if char in "‘’‚‛":
        return "write '"
    if char in "≤≥≠−×":
        return "write " + {"≤": "<=", "≥": ">=", "≠": "!=", "−": "-", "×": "*"}[char]
    plain = unicodedata.normalize("NFKC", char)
    if plain == " ":
        return "write a plain space"
    return f"write {plain}" if plain != char and _MARK.fullmatch(plain) else ""
