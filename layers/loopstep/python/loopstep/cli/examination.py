"""What a check of `loopstep doctor` finds."""

from __future__ import annotations

from typing import NamedTuple

OK, WARNING, FAILED, SKIPPED = "ok", "warning", "failed", "skipped"


class Finding(NamedTuple):
    """`detail` says what was found, `hint` what to do about it."""

    name: str
    status: str
    detail: str
    hint: str = ""
