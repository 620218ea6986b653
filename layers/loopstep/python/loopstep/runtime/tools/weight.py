"""How much there is of what a model said, before anything else is done with it."""

from __future__ import annotations

import json
import re
from typing import Any

_STEERING = "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
_SURROGATE = "[\ud800-\udfff]"


class Unfit(ValueError):
    """Not JSON data that can be carried on; the message goes on after "the input"."""


def weight(value: Any, depth: int) -> int:
    """The UTF-8 bytes of a value as compact JSON. Raises Unfit, for nesting beyond `depth` too; never recurses."""
    level = [value]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                if not all(isinstance(name, str) for name in each):
                    raise Unfit("has a name that is no text")
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
            elif each is not None and not isinstance(each, (str, bool, int, float)):
                raise Unfit("is not JSON")
        if not inner:
            return _bytes(value)
        level = inner
    raise Unfit(f"is nested more than {depth} levels deep")


def _bytes(value: Any) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8"))
    except UnicodeEncodeError:
        raise Unfit("holds half of a surrogate pair, which is no character") from None
    except ValueError:
        raise Unfit("holds a number that is not finite or too long") from None


def text_bytes(text: str) -> int:
    """The UTF-8 bytes of a text that `readable` made."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def readable(text: Any) -> str:
    """A text as every reader of it can carry it: halves of surrogate pairs become U+FFFD; what is no text is ""."""
    if not isinstance(text, str):
        return ""
    return text if text.isascii() else re.sub(_SURROGATE, "\ufffd", text)


def on_one_line(text: str) -> str:
    """The text with U+FFFD for what a terminal, a page or a prompt would obey: line ends, controls, directions."""
    return re.sub(_STEERING, "\ufffd", text)


def cut(text: str, most: int, mark: str = " … [cut]") -> str:
    """The text, or as much of its beginning as leaves room for the mark."""
    return text if len(text) <= most else text[: max(0, most - len(mark))] + mark
