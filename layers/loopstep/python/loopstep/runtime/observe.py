"""One JSON log line an invocation: where in which run, and what came of it. No data of a run stands in it."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO


class Observation:
    """Collects what an invocation learns about itself and writes it once."""

    __slots__ = ("_fields", "_stream")

    def __init__(self, stream: TextIO | None = None, **fields: Any) -> None:
        self._fields, self._stream = fields, stream

    def note(self, **fields: Any) -> None:
        """Add fields, or change them."""
        self._fields.update(fields)

    def write(self) -> None:
        """Write the line."""
        print(json.dumps(self._fields, ensure_ascii=False), file=self._stream or sys.stdout, flush=True)
