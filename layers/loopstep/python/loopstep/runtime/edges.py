"""Through which edge an activation leaves, worked out as the Choice will (ARCHITECTURE §2)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import NoValue, RangeFault
from loopstep.runtime.spec import Spec
from loopstep.types.text import json_text

LONGEST_SHOWN = 200  # characters of a value that people are shown of what a condition read


class Decision(NamedTuple):
    """The edge, None where none matched; `seen` are the port's operands, None where it has no condition.

    `read`: what larger operands and a loop's `while` read, as people are shown it: the order is that of `Spec.read`.
    """

    edge: str | None
    seen: list[Any] | None
    read: list[Any] | None = None


def decide(spec: Spec, port: str, data: dict[str, Any]) -> Decision:
    """Try the port's edges in document order; the first true `when` wins, one without is the default.

    Operands are evaluated when a condition asks for them, which keeps guards effective; one that no condition asked
    for is filled in afterwards, null where it cannot be worked out. Raises RangeFault, NoValue from one asked for.
    """
    operands = spec.operands.get(port, ())
    known: dict[int, Any] = {}

    def seen(index: int) -> Any:
        if index not in known:
            known[index] = operands[index](data)
        return known[index]

    asking = {**data, "seen": seen}
    edge = next(
        (
            exit_.edge
            for exit_ in spec.exits.get(port, ())
            if exit_.condition is None or exit_.condition(asking) is True
        ),
        None,
    )
    asked = () if port == "failed" else spec.read.get("", ())
    read = [_brief(_quiet(each, data)) for each in (*spec.read.get(port, ()), *asked)] or None
    if not operands:
        return Decision(edge, None, read)
    shown = [known[index] if index in known else _quiet(operand, data) for index, operand in enumerate(operands)]
    return Decision(edge, shown, read)


def _brief(value: Any) -> Any:
    """The value, or the beginning of its text."""
    text = value if isinstance(value, str) else json_text(value)
    return value if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _quiet(operand: Any, data: dict[str, Any]) -> Any:
    try:
        return operand(data)
    except (NoValue, RangeFault):
        return None
