"""Opaque paging tokens: where a listing goes on, bound to the listing that gave it out."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from loopstep.runs.errors import BadPageToken

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a listing, and the token for those after them; None at the end."""

    items: tuple[T, ...]
    next: str | None = None


def encode_token(listing: list[Any], place: Any) -> str:
    """Return a token for going on at `place` in the listing that these arguments name; both are JSON data."""
    text = json.dumps([listing, place], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_token(token: str | None, listing: list[Any]) -> Any:
    """Return the place of a token of this listing, None without one. Raises BadPageToken for any other text."""
    if token is None:
        return None
    try:
        data = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise BadPageToken from None
    if not isinstance(data, list) or len(data) != 2 or data[0] != listing:
        raise BadPageToken
    return data[1]
