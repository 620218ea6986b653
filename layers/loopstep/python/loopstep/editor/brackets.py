"""Follows YAML's brackets, or JSON, up to a cursor: the way to it, and what is written there."""

from __future__ import annotations

import re
from typing import Final

QUOTED: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\n]|'')*'?")
_FLOW: Final = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^']|'')*'?|[\[\]{},]|#[^\n]*|:(?=\s*[\"'])"
    r"|[^\s\[\]{},\"'#](?:(?!:\s*[\"'])[^\[\]{},\n])*"
)


class Brackets:
    """Follows brackets up to the cursor."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open: list[list[str | int | None]] = []  # [bracket, name or position]
        self.written = ""
        self.begun = len(text)
        self.quote = ""
        self.pending = ""  # a name whose colon comes next

    def follow(self) -> Brackets:
        for match in _FLOW.finditer(self.text):
            self.token(match[0], match.start(), match.end())
        return self

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The way from the first bracket."""
        return tuple(one[1] for one in self.open if one[1] is not None)

    @property
    def names(self) -> bool:
        """Whether a name is written, not a value."""
        return bool(self.open) and self.open[-1][0] == "{" and self.open[-1][1] is None

    def token(self, piece: str, start: int, end: int) -> None:
        self.written, self.begun, self.quote = "", len(self.text), ""
        if piece in ("{", "["):
            self.open.append([piece, None if piece == "{" else 0])
        elif piece in ("}", "]"):
            if self.open:
                self.open.pop()
        elif piece == ",":
            if self.open and self.open[-1][0] == "{":
                self.open[-1][1] = None
            elif self.open and isinstance(self.open[-1][1], int):
                self.open[-1][1] += 1
        elif piece[0] == ":" or piece[0] not in "#\"'":
            self.plain(piece, start, end)
        elif piece[0] != "#":
            self.quoted(piece, start, end)

    def plain(self, token: str, start: int, end: int) -> None:
        """A run of plain text: a name with its colon, then maybe the beginning of a value."""
        naming = self.names
        if token[0] == ":" and self.open and self.open[-1][0] == "{":  # behind a name of its own
            if naming and self.pending:
                self.open[-1][1] = self.pending
            rest = token[1:].lstrip()
            if rest:
                self.take(rest, start + len(token) - len(rest), end)
            return
        found = key_of(token) if naming else None
        if found is None:
            self.pending = token.strip() if naming else ""
            self.take(token, start, end)
            return
        name, behind = found
        self.open[-1][1] = name
        value = token[behind:].lstrip()
        if value:
            self.take(value, start + len(token) - len(value), end)

    def take(self, token: str, start: int, end: int) -> None:
        if end == len(self.text):
            self.written, self.begun = token, start

    def quoted(self, token: str, start: int, end: int) -> None:
        closed = len(token) > 1 and token[-1] == token[0] and not token.endswith("\\" + token[0])
        if end == len(self.text) and not closed:
            self.written, self.begun, self.quote = token[1:], start + 1, token[0]
        elif closed and self.names:
            self.open[-1][1] = token[1:-1]


def key_of(text: str) -> tuple[str, int] | None:
    """(name, offset behind the colon) of a text that begins with a name and a colon."""
    if text[:1] in ("'", '"'):
        match = QUOTED.match(text)
        if match is None or match.end() < 2 or not text.startswith(":", match.end()):
            return None
        return match[0][1:-1], match.end() + 1
    at = text.find(": ")
    if at < 0:
        stripped = text.rstrip(" \t")
        at = len(stripped) - 1 if stripped.endswith(":") else -1
    if at <= 0 or text[0] in "#{[" or " #" in text[:at]:
        return None
    return text[:at].rstrip(), at + 1
