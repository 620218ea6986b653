"""One JSON log line an invocation: where in which run, what came of it, what it counts. No data of a run stands in it.

What is counted becomes a metric of CloudWatch where the line names the stack: the embedded metric format, for which it
reads Lambda's logs. So a metric costs no request, and no import.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, TextIO

NAMESPACE = "loopstep"
STACK = "METRICS_STACK"  # in the environment: the one dimension of every metric

COUNT, SECONDS, MILLISECONDS = "Count", "Seconds", "Milliseconds"


def embedded(metrics: dict[str, tuple[float, str]]) -> dict[str, Any]:
    """The fields of a log line that make metrics of it; `metrics` has value and unit by name. Without a stack none."""
    stack = os.environ.get(STACK)
    if not stack or not metrics:
        return {}
    declared = [{"Name": name, "Unit": unit} for name, (_, unit) in metrics.items()]
    directive = {"Namespace": NAMESPACE, "Dimensions": [["stack"]], "Metrics": declared}
    return {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]},
        "stack": stack,
        **{name: amount for name, (amount, _) in metrics.items()},
    }


class Observation:
    """Collects what an invocation learns about itself and writes it once."""

    __slots__ = ("_fields", "_metrics", "_stream")

    def __init__(self, stream: TextIO | None = None, **fields: Any) -> None:
        self._fields, self._stream = fields, stream
        self._metrics: dict[str, tuple[float, str]] = {}

    def note(self, **fields: Any) -> None:
        """Add fields, or change them."""
        self._fields.update(fields)

    def count(self, metric: str, amount: float = 1, unit: str = COUNT) -> None:
        """Add a metric, or change it; `unit` is one of CloudWatch's."""
        self._metrics[metric] = (amount, unit)

    def write(self) -> None:
        """Write the line."""
        line = {**self._fields, **embedded(self._metrics)}
        print(json.dumps(line, ensure_ascii=False), file=self._stream or sys.stdout, flush=True)
