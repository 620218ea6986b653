"""Random typed conditions with their guards, and data for them."""

from __future__ import annotations

from random import Random
from typing import Any

from loopstep.expressions.scope import Scope, record
from loopstep.types.schema import Schema

FIELDS = {
    "n": Schema("integer", required=True),
    "x": Schema("number", required=True),
    "m": Schema("integer"),
    "flag": Schema("boolean", required=True),
    "opt": Schema("boolean"),
    "level": Schema("string", required=True, enum=("low", "high", "a b.c-d_")),
    "mood": Schema("string", enum=("low", "good", "")),
    "odd": Schema("string", required=True, enum=("it's", "世", "😀")),
    "s": Schema("string", required=True),
    "note": Schema("string"),
    "tags": Schema("array", required=True, items=Schema("string")),
    "counts": Schema("array", items=Schema("integer")),
    "o": Schema("object", properties={"k": Schema("integer", required=True), "p": Schema("boolean")}),
    "secret": Schema("string", required=True, secret=True),
    "pin": Schema("integer", secret=True),
    "any": Schema("any"),
}
SCOPE = Scope({"input": record(FIELDS)})
TEXTS = ["", "a", "low", "世", "😀", "it's", "\uffff", '"q"', "{% $x %}", "seen[0]"]
NUMBERS = [0, 1, -1, 3, 2.5, -0.5, 1e-7, 2**53 - 1, -(2**53) + 1]


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Maker:
    """Texts of conditions that `check_boolean` takes; `proven` are the optional fields whose guard holds here."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def condition(self, depth: int, proven: frozenset[str] = frozenset()) -> str:
        pick = self.random.choice
        if depth <= 0:
            return self.atom(proven)
        form = pick(["and", "or", "not", "guard", "unless", "chain", "same", "atom", "atom"])
        if form == "and":
            return f"({self.condition(depth - 1, proven)} && {self.condition(depth - 1, proven)})"
        if form == "or":
            return f"({self.condition(depth - 1, proven)} || {self.condition(depth - 1, proven)})"
        if form == "not":
            return f"!({self.condition(depth - 1, proven)})"
        if form == "chain":
            word = pick([" && ", " || "])
            return "(" + word.join(self.condition(depth - 2, proven) for _ in range(pick([3, 9, 12]))) + ")"
        if form == "same":
            return f"({self.condition(depth - 1, proven)}) {pick(['==', '!='])} ({self.condition(depth - 1, proven)})"
        if form == "atom":
            return self.atom(proven)
        name = pick(["m", "opt", "mood", "note", "o", "o.p", "counts", "counts[0]", "tags[0]", "pin", "any"])
        inside = self.condition(depth - 1, proven | {name} | {name.split(".")[0].split("[")[0]})
        if form == "guard":
            return pick([f"(input.{name} != null && {inside})", f"(!(null == input.{name}) && {inside})"])
        return pick([f"(input.{name} == null || {inside})", f"!(input.{name} != null && !({inside}))"])

    def number(self, proven: frozenset[str], depth: int = 1) -> str:
        pick = self.random.choice
        known = ["input.n", "input.x", "length(input.s)", "length(input.tags)", *map(str, NUMBERS)]
        optional = {
            "m": "input.m",
            "o": "input.o.k",
            "counts[0]": "input.counts[0]",
            "note": "length(input.note)",
            "pin": "input.pin",
        }
        known += [text for name, text in optional.items() if name in proven] * 4
        if depth and pick([True, False]):
            return f"({self.number(proven, 0)} {pick(['+', '-', '*'])} {self.number(proven, 0)})"
        return pick(["", "", "-"]) + f"({pick(known)})"

    def text(self, proven: frozenset[str]) -> str:
        known = ["input.s", "input.secret", quoted(self.random.choice(TEXTS))]
        known += [f"input.{name}" for name in ("note", "tags[0]") if name in proven] * 3
        return self.random.choice(known)

    def atom(self, proven: frozenset[str]) -> str:
        pick = self.random.choice
        order = pick(["<", "<=", ">", ">=", "==", "!="])
        equal = pick(["==", "!="])
        enum = pick(["low", "high", "a b.c-d_"])
        forms = [
            f"{self.number(proven)} {order} {self.number(proven)}",
            f"{self.number(proven)} {order} {self.number(proven)}",
            f"{self.number(proven)} in [{self.number(proven, 0)}, 3, 2.5]",
            f"input.n in [{pick(NUMBERS)}, 1]",
            f"{self.text(proven)} {order} {self.text(proven)}",
            f"input.level {equal} {quoted(enum)}",
            f"input.level in [{quoted(enum)}, 'low']",
            f"input.level {order} 'low'",
            f"input.odd {equal} {pick([quoted('世'), quoted(chr(0x1F600))])}",
            f"contains({self.text(proven)}, {self.text(proven)})",
            f"startsWith({self.text(proven)}, {self.text(proven)})",
            f"endsWith({self.text(proven)}, {self.text(proven)})",
            f"{self.text(proven)} in input.tags",
            f"contains(input.tags, {self.text(proven)})",
            "input.flag",
            f"input.flag {equal} {pick(['true', 'false'])}",
            pick(["true", "false"]),
            f"input.{pick(['m', 'opt', 'mood', 'note', 'o', 'o.k', 'o.p', 'counts[1]', 'pin', 'any'])} {equal} null",
        ]
        if "opt" in proven:
            forms += ["input.opt"] * 4
        if "o.p" in proven:
            forms += ["input.o.p", f"input.o.p {equal} input.flag"] * 2
        if "mood" in proven:
            forms += [f"input.mood {equal} 'good'", f"input.mood {equal} input.level", "input.mood in ['', 'low']"] * 2
        return pick(forms)


def data(random: Random) -> dict[str, Any]:
    """An input that its declaration would let in."""
    pick = random.choice

    def text() -> str:
        return str(pick(TEXTS))

    def whole() -> int:
        return pick([value for value in NUMBERS if isinstance(value, int)])

    found: dict[str, Any] = {
        "n": whole(),
        "x": pick(NUMBERS),
        "flag": pick([True, False]),
        "level": pick(FIELDS["level"].enum or ()),
        "odd": pick(FIELDS["odd"].enum or ()),
        "s": text(),
        "tags": [text() for _ in range(pick([0, 1, 3]))],
        "secret": text(),
    }
    optional: dict[str, Any] = {
        "m": whole(),
        "opt": pick([True, False]),
        "mood": pick(FIELDS["mood"].enum or ()),
        "note": text(),
        "counts": [whole() for _ in range(pick([0, 1, 2]))],
        "o": pick([{"k": whole()}, {"k": whole(), "p": pick([True, False])}]),
        "pin": whole(),
        "any": pick([1, "x", [], {}]),
    }
    return {"input": found | {name: value for name, value in optional.items() if pick([True, True, False])}}
