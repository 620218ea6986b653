"""What expressions raise, as failures of a node (LANGUAGE §4, §6)."""

from __future__ import annotations

from typing import Any

from loopstep.expressions.evaluate import NoValue, RangeFault
from loopstep.runtime.failures import NO_VALUE, PRECONDITION_TYPE, RANGE, NodeFailure


class Faults:
    """A context that raises NodeFailure for RangeFault and NoValue.

    With `field`, a binding's target, the sentence names it; of one in `preconditions` no value means a wrong type.
    """

    __slots__ = ("_field", "_preconditions")

    def __init__(self, field: str = "", preconditions: tuple[str, ...] = ()) -> None:
        self._field, self._preconditions = field, preconditions

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, RangeFault):
            raise NodeFailure(RANGE, f"a number is not finite or too large{self._where()}") from None
        if isinstance(error, NoValue):
            code = PRECONDITION_TYPE if self._field in self._preconditions else NO_VALUE
            raise NodeFailure(code, f"the conversion gives no value{self._where()}: {error.reason}") from None

    def _where(self) -> str:
        return f" in {self._field}" if self._field else ""
