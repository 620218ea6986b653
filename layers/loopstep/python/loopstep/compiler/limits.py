"""The limits of LANGUAGE §11 in one place; those of documents and expressions are known further down already."""

from __future__ import annotations

from loopstep.expressions.parse import MAX_DEPTH as MAX_EXPRESSION_DEPTH
from loopstep.expressions.parse import MAX_LENGTH as MAX_EXPRESSION_LENGTH
from loopstep.nodes.fan_out import MAX_ITEMS
from loopstep.nodes.loop import MAX_ITERATIONS
from loopstep.source.limits import DOCUMENT_BYTES, NESTING

__all__ = [
    "DEFAULT_TIMEOUT",
    "DOCUMENT_BYTES",
    "MAX_DEFINITION_BYTES",
    "MAX_EDGES",
    "MAX_EXPRESSION_DEPTH",
    "MAX_EXPRESSION_LENGTH",
    "MAX_HISTORY_EVENTS",
    "MAX_ITEMS",
    "MAX_ITERATIONS",
    "MAX_NODES",
    "MAX_REGIONS",
    "MAX_STATE_BYTES",
    "MAX_TOKEN_BYTES",
    "MUCH_HISTORY_EVENTS",
    "NESTING",
]

MAX_NODES = 1_000
MAX_EDGES = 5_000

MAX_DEFINITION_BYTES = 1024 * 1024  # CreateStateMachine: "definition", 1 MiB
MAX_STATE_BYTES = 128 * 1024  # the static part of one state: half of a payload of 256 KiB
MAX_TOKEN_BYTES = 4 * 1024  # what a state hands on
MAX_REGIONS = 64  # loops and fan_outs around a node: its path stands in record keys of 1,024 bytes

MAX_HISTORY_EVENTS = 25_000  # AWS ends an execution there
MUCH_HISTORY_EVENTS = 20_000  # from here on a warning: tries after faults of the platform come on top

DEFAULT_TIMEOUT = 30 * 86_400  # seconds: `timeout: P30D` of a whole Run (§2)
