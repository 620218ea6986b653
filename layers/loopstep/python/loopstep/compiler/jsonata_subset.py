"""Does a text belong to the part of JSONata that `emit` writes?

The part is small on purpose: literals, paths from `$states`, comparison, arithmetic, `and`, `or`, array and object
constructors, ranges, conditionals and a closed list of functions. No lambda, regex, `$eval`, variable or wildcard.
"""

from __future__ import annotations

import re
from functools import lru_cache

FUNCTIONS = frozenset({
    "append", "boolean", "contains", "count", "exists", "length", "merge", "not", "number", "string", "substring",
})  # fmt: skip

_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\["\\/bfnrtu])*"|'(?:[^'\\]|\\['\\/bfnrtu])*')"""
    r"""|(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<name>\$?[A-Za-z_][A-Za-z0-9_]*)"""
    r"""|(?P<mark>!=|<=|>=|\.\.|[-+*&=<>?:.,()\[\]{}]))"""
)
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "in")
_BINARY = {"or": 1, "and": 2, **dict.fromkeys(_COMPARISONS, 3), "+": 4, "-": 4, "&": 4, "*": 5}


class _NotParsed(Exception):
    """The text leaves the subset."""


@lru_cache(maxsize=4096)
def parses(text: str) -> bool:
    """Whether the text is one complete expression of the subset."""
    try:
        parser = _Parser(_tokens(text))
        parser.expression(0)
        return parser.at_end()
    except _NotParsed:
        return False


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _NotParsed
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        place = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = [*tokens, ("end", "")]
        self.place = 0

    def at_end(self) -> bool:
        return self.tokens[self.place][0] == "end"

    def next(self) -> tuple[str, str]:
        token = self.tokens[self.place]
        self.place += 1
        return token

    def take(self, mark: str) -> bool:
        if self.tokens[self.place] == ("mark", mark):
            self.place += 1
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.take(mark):
            raise _NotParsed

    def expression(self, floor: int) -> None:
        self.operand()
        while (power := _BINARY.get(self.tokens[self.place][1], 0)) > floor:
            self.next()
            self.expression(power)
        if floor == 0 and self.take("?"):
            self.expression(0)
            self.expect(":")
            self.expression(0)

    def operand(self) -> None:
        if self.take("-"):
            return self.operand()
        kind, text = self.next()
        if kind == "name":
            self.named(text)
        elif text == "(":
            self.expression(0)
            self.expect(")")
        elif text == "[":
            self.sequence("]")
        elif text == "{":
            self.pairs()
        elif kind not in ("string", "number"):
            raise _NotParsed
        self.steps()

    def named(self, name: str) -> None:
        if name in ("true", "false", "null", "$states"):
            return
        if not name.startswith("$") or name[1:] not in FUNCTIONS:
            raise _NotParsed
        self.expect("(")
        self.sequence(")")

    def sequence(self, close: str) -> None:
        if self.take(close):
            return
        while True:
            self.expression(0)
            if self.take(".."):
                self.expression(0)
            if self.take(close):
                return
            self.expect(",")

    def pairs(self) -> None:
        if self.take("}"):
            return
        while True:
            if self.next()[0] != "string":
                raise _NotParsed
            self.expect(":")
            self.expression(0)
            if self.take("}"):
                return
            self.expect(",")

    def steps(self) -> None:
        """`.name` and `[index]` behind an operand."""
        while True:
            if self.take("."):
                if self.next()[0] != "name":
                    raise _NotParsed
            elif self.take("["):
                if self.next()[0] != "number":
                    raise _NotParsed
                self.expect("]")
            else:
                return
