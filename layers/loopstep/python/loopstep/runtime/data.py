"""The data that expressions read: roots by name, and of a run's values only what is asked for (LANGUAGE §5)."""

from __future__ import annotations

from typing import Any

from loopstep.runs.elements import element
from loopstep.runs.records import Activation, Head, State
from loopstep.runs.values import Stored, Values
from loopstep.runtime.spec import Reads


class RunData:
    """Builds roots from records; a large value is fetched once, and only if something reads it."""

    __slots__ = ("_head", "_known", "_state", "_values")

    def __init__(self, values: Values, head: Head, state: State) -> None:
        self._values, self._head, self._state = values, head, state
        self._known: dict[Stored, Any] = {}

    def fetch(self, reads: Reads, source: Activation | None, kept: Activation | None) -> None:
        """Read at once what these need: state fields, the run's input, the source's values, the kept input."""
        wanted: list[Stored | None] = [self._state.fields.get(name) for name in reads.state]
        if reads.run_input:
            wanted.append(self._head.input)
        if source is not None:
            wanted += [source.input if reads.input else None, source.output if reads.output else None]
        if kept is not None:
            wanted.append(kept.input)
        missing = [each for each in dict.fromkeys(wanted) if each is not None and each not in self._known]
        self._known.update(zip(missing, self._values.read_all(missing), strict=True))

    def value(self, stored: Stored | None) -> Any:
        """Return a stored value, None for none."""
        if stored is None:
            return None
        if stored not in self._known:
            self._known[stored] = self._values.read(stored)
        return self._known[stored]

    def element(self, source: Activation, number: int) -> Any:
        """Return one element of a fan_out's items, None where it has none."""
        return None if source.items is None else element(self._values, source.items, number)

    def roots(self, reads: Reads, path: list[int]) -> dict[str, Any]:
        """Return the roots that stand everywhere, `plan` and `state`, and the path for loop counters."""
        head = self._head
        plan: dict[str, Any] = {
            "name": head.plan,
            "version": str(head.version),
            "run": {"id": head.run, "startedAt": head.started_at},
        }
        if reads.run_input:
            plan["input"] = self.value(head.input)
        fields = self._state.fields
        return {
            "plan": plan,
            "state": {name: self.value(fields[name]) for name in reads.state if name in fields},
            "path": path,
        }

    def left(self, reads: Reads, source: Activation | None) -> dict[str, Any]:
        """Return the roots that an edge out of `source` may read: `input`, `output`, `error`."""
        if source is None:
            return {}
        roots: dict[str, Any] = {}
        if reads.input:
            roots["input"] = self.value(source.input) or {}
        if reads.output:
            roots["output"] = self.value(source.output) or {}
        if source.error is not None:
            roots["error"] = {"code": source.error.code, "message": source.error.message}
        return roots
