"""Two config fields of which exactly one has to stand (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from loopstep.nodes.node_type import INVALID_VALUE, MISSING_FIELD, Problem

if TYPE_CHECKING:
    from loopstep.nodes.node_type import NodeView


def one_of(node: NodeView, config_key: str, first: str, second: str) -> Iterator[Problem]:
    """Neither is a missing field; with both, the second is the fault."""
    if node.stands(first) and node.stands(second):
        message = f"`{first}` and `{second}` exclude each other"
        yield Problem(INVALID_VALUE, (config_key, second), message, f"keep `{first}` or `{second}`")
    elif not node.stands(first) and not node.stands(second):
        yield Problem(MISSING_FIELD, (config_key,), f"`{config_key}` needs `{first}` or `{second}`")
