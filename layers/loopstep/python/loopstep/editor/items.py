"""What a completion proposes."""

from __future__ import annotations

from typing import NamedTuple

from loopstep.compiler.look import Symbol
from loopstep.types.schema import describe

FIELD, REFERENCE, FUNCTION, NODE, PORT, TYPE, CHOICE, VALUE, SNIPPET = (
    "field", "reference", "function", "node", "port", "type", "choice", "value", "snippet",
)  # fmt: skip


class Item(NamedTuple):
    """One proposal. `insert` replaces columns `start` to `end` of the cursor's line; `snippet`: with placeholders.

    `order` ranks: what is required or fits before what is not.
    """

    label: str
    kind: str
    detail: str
    insert: str
    start: int
    end: int
    documentation: str = ""
    snippet: bool = False
    order: int = 5


def told_type(symbol: Symbol) -> str:
    """The type of a reference and whether it may be absent."""
    kind = describe(symbol.schema) if symbol.schema is not None else "unknown type"
    return kind + ("" if symbol.present else ", may be absent") + (", secret" if symbol.secret else "")


def nearness(symbol: Symbol) -> int:
    """What belongs to the place before what is there everywhere."""
    if symbol.path[0] == "plan":
        return 5 if symbol.path[1:2] == ("input",) else 6
    return 4 if symbol.path[0] == "state" else 3
