"""Kinds of values that options take, refused with exit code 2 before anything is sent."""

from __future__ import annotations

import math
import re
from typing import Any

import click

_KEY = re.compile(r"[\x20-\x7e]{1,255}")


class Seconds(click.FloatRange):
    """A span of time, zero or more. `nan` compares with nothing, so a range alone would take it."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def not_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """An option's callback: what is given says something."""
    if value is not None and not value.strip():
        raise click.BadParameter("is empty.", ctx, param)
    return value


def idempotency_key(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """An option's callback: what the header Idempotency-Key can carry."""
    if value is not None and (not _KEY.fullmatch(value) or value != value.strip()):
        raise click.BadParameter("must be 1 to 255 printable ASCII characters, no blank at either end.", ctx, param)
    return value
