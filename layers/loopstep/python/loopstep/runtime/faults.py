"""What expressions raise, as failures of a node (LANGUAGE §4, §6)."""

from __future__ import annotations

from typing import Any

from loopstep.expressions.evaluate import NoValue, RangeFault
from loopstep.runtime.failures import NO_VALUE, PRECONDITION_TYPE, RANGE, NodeFailure


class Faults:
    """A context that raises NodeFailure for RangeFault and NoValue.

    With `field`, a binding's target, the sentence names it as `shown`; of one in `preconditions` no value means a
    wrong type.
    """

    __slots__ = ("_field", "_preconditions", "_shown")

    def __init__(self, field: str = "", preconditions: tuple[str, ...] = (), shown: str = "") -> None:
        self._field, self._preconditions, self._shown = field, preconditions, shown or field

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, RangeFault):
            raise NodeFailure(RANGE, f"a number is not finite or too large{self._where()}") from None
        if isinstance(error, NoValue):
            code = PRECONDITION_TYPE if self._field in self._preconditions else NO_VALUE
            raise NodeFailure(code, f"the conversion gives no value{self._where()}: {error.said}") from None

    def _where(self) -> str:
        return f" for {self._shown}" if self._shown else ""
