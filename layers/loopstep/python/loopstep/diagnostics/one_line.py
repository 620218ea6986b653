"""Texts and values from anywhere on one line, in so many terminal cells at most."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from loopstep.diagnostics.render import width


def plain(text: str) -> str:
    """Without what could move the cursor or turn the writing direction: a run's texts come from anywhere."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)


def cut(text: str, most: int) -> str:
    """At most so many cells, with an ellipsis where something is left out."""
    if width(text) <= most:
        return text
    kept = ""
    while width(kept + text[len(kept)]) < most:
        kept += text[len(kept)]
    return kept + "…"


def short(value: Any, most: int = 100) -> str:
    """A JSON value on one line."""
    return cut(plain(json.dumps(value, ensure_ascii=False)), most)
