"""Values as answers carry them: a function may answer 6 MB, and a run's values may be larger.

What does not fit is left out and named, with a link that reads it from the bucket; nothing is cut short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from loopstep.runs.values import Pointer, Stored, Values

ONE_VIEW_BYTES = 5_000_000  # of values in the bucket that one reading brings along
REPLY_BYTES = 5_500_000  # of an answer's body, escaped as a function's reply escapes it (AWS: 6 MB)


class Omitted:
    """A value that was left out: its size in bytes and a link that reads it, as JSON."""

    __slots__ = ("bytes", "url")

    def __init__(self, size: int, url: str) -> None:
        self.bytes, self.url = size, url


class ShownValues(Values):
    """Values of a bucket; of those read together, the ones beyond the budget come back as Omitted.

    `link` makes the URL of a key.
    """

    __slots__ = ("_link",)

    def __init__(self, s3: Callable[[], Any], bucket: str, link: Callable[[str], str]) -> None:
        super().__init__(s3, bucket)
        self._link = link

    def read_all(self, stored: Iterable[Stored]) -> list[Any]:
        """The JSON values in order, each an Omitted where the smaller ones of the same reading fill the budget."""
        places = list(stored)
        omitted = _beyond({each for each in places if isinstance(each, Pointer)})
        read = iter(super().read_all(each for each in places if each not in omitted))
        return [self.leave_out(each) if each in omitted else next(read) for each in places]

    def leave_out(self, place: Stored) -> Omitted:
        """The value as left out; only one in the bucket can be."""
        assert isinstance(place, Pointer)
        return Omitted(place.size, self._link(place.key))


def _beyond(pointers: set[Pointer]) -> set[Stored]:
    total, omitted = 0, set[Stored]()
    for pointer in sorted(pointers, key=lambda each: (each.size, each.key)):
        total += pointer.size
        if total > ONE_VIEW_BYTES:
            omitted.add(pointer)
    return omitted
