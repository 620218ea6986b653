"""`list_files`: the files of the Run's working directory (LANGUAGE §7, CANVAS §3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopstep.nodes.node_type import NodeType, exits
from loopstep.types.schema import Fields, Schema

if TYPE_CHECKING:
    from loopstep.nodes.node_type import NodeView

FILES: Fields = {
    "files": Schema("array", required=True, items=Schema("string"), description="Relative paths, sorted."),
}


def outputs(node: NodeView) -> dict[str, Fields] | None:
    """The list of paths."""
    return {"completed": FILES}


LIST_FILES = NodeType(
    name="list_files",
    config_key="listFiles",
    summary="Lists the files in the Run's working directory, as its .agentignore allows.",
    ports="completed, failed",
    exposes="files: array of strings",
    fields=(),
    exits=exits("completed", "failed"),
    spec=lambda node, lower: {},
    outputs=outputs,
)
