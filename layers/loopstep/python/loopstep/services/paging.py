"""Cursors of lists, refused where they do not fit: opaque texts, each good for the list that gave it out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from loopstep.runs.errors import BadPageToken
from loopstep.runs.paging import decode_token, encode_token
from loopstep.services.refusals import Malformed

P = TypeVar("P", str, int)


def give(listing: list[Any], place: str | int | None) -> str | None:
    """The cursor for what comes after `place`; None at the end. `listing` names the list with its filters."""
    return None if place is None else encode_token(listing, place)


def take(listing: list[Any], cursor: str | None, kind: type[P], longest: int = 63) -> P | None:
    """The place of a cursor that `give` made for the same listing, a text of at most `longest` characters.

    Raises Malformed `request.cursor`.
    """
    with refusing():
        place = decode_token(cursor, listing)
        if place is None:
            if cursor is not None:
                raise BadPageToken
            return None
        if type(place) is not kind or len(str(place)) > longest:
            raise BadPageToken
        return place


@contextmanager
def refusing() -> Iterator[None]:
    """A cursor of another list, or none at all, is the caller's fault."""
    try:
        yield
    except BadPageToken:
        raise Malformed("request.cursor", "The cursor in `next` was not given out for this list.") from None
