"""What a conversion yields: a value, or no value with a reason (CANVAS §4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class No(str):
    """No value; the text is the reason."""

    __slots__ = ()


NOT_A_NUMBER = No("not_a_number")
UNSUPPORTED = No("unsupported")
NO_VALUE = No("absent")
NOT_JSON = No("not_json")
UNSAFE_PATH = No("unsafe_path")
WRONG_FORM = No("wrong_form")

EXACT = "exact"  # the target's value says all that the source's does
LOSSY = "lossy"  # a value always comes, but not all of it
MAY_FAIL = "may fail"  # some source values give no value

Function = Callable[[Any, str, int | None], Any]  # (value, mode, topK) → value or No


class Entry(NamedTuple):
    """One conversion. `modes`: the allowed ones, the first is the default; `sentence` tells people what it does.

    `never`: no value of the kind gives one, which only a source of unknown kind may still ask for.
    """

    function: Function
    loss: str
    sentence: str
    modes: tuple[str, ...] = ()
    takes_top_k: bool = False
    never: bool = False
