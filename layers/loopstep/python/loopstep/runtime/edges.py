"""Through which edge an activation leaves, worked out as the Choice will (ARCHITECTURE §2)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import NoValue, RangeFault
from loopstep.runtime.spec import Spec


class Decision(NamedTuple):
    """The edge, None where none matched; `seen` are the port's operands, None where it has no condition."""

    edge: str | None
    seen: list[Any] | None


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
    if not operands:
        return Decision(edge, None)
    shown = [known[index] if index in known else _quiet(operand, data) for index, operand in enumerate(operands)]
    return Decision(edge, shown)


def _quiet(operand: Any, data: dict[str, Any]) -> Any:
    try:
        return operand(data)
    except (NoValue, RangeFault):
        return None
