"""`pass`: checks its input and hands it on (LANGUAGE §7)."""

from __future__ import annotations

from loopstep.nodes.node_type import NodeType, exits

PASS = NodeType(
    name="pass",
    config_key="pass",
    summary="Checks its input and hands it on.",
    ports="completed, failed",
    exposes="–",
    fields=(),
    exits=exits("completed", "failed"),
    spec=lambda node, lower: {},
)
