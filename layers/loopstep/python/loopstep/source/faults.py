"""The faults that both readers find, in the same words."""

from __future__ import annotations

from typing import Final

from loopstep.source.document import START, Fault, Mapping, Text, pointer_step
from loopstep.source.limits import NESTING

EMPTY = Fault("document.syntax", "the document is empty", START, hint="begin with apiVersion: loop.plan/v1")


def syntax(text: Text, start: int, end: int, message: str, hint: str = "") -> Fault:
    """The text between two offsets cannot stand there."""
    return Fault("document.syntax", message, text.span(start, end), "", hint)


def too_deep(text: Text, start: int, end: int, pointer: str) -> Fault:
    """A container begins there that is nested too deep."""
    message = f"mappings and lists are nested more than {NESTING} deep"
    return Fault("limit.depth", message, text.span(start, end), pointer)


class Faults(list[Fault]):
    """The faults of one text; of duplicate names as many as ROOM has room for, however many there are."""

    ROOM: Final = 300_000  # characters of their pointers and messages

    def __init__(self) -> None:
        super().__init__()
        self._room = self.ROOM

    def duplicate(self, holder: Mapping, name: str, offsets: tuple[int, int]) -> None:
        """The mapping has the name already."""
        if self._room > 0:
            self.append(duplicate(holder, name, offsets))
            self._room -= 150 + len(self[-1].pointer) + len(self[-1].message)


def duplicate(holder: Mapping, name: str, offsets: tuple[int, int]) -> Fault:
    """The mapping has the name already."""
    first = holder.text.position(holder.key_offsets[name][0])[0]
    message = f'the name "{name}" stands here a second time; the first is on line {first}'
    pointer = holder.pointer() + pointer_step(name)
    return Fault("document.duplicate_key", message, holder.text.span(*offsets), pointer)
