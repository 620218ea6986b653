"""`smart_action`: an instruction that a model carries out (LANGUAGE §7, CANVAS §3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import TEMPLATE, TEXTS, Field, context, hermes, max_steps, missing
from loopstep.nodes.model_spec import model_spec
from loopstep.nodes.node_type import (
    INVALID_VALUE,
    MUST_DECLARE,
    Mention,
    NodeType,
    Problem,
    declared_on_completed,
    exits,
    one_text_output,
)
from loopstep.nodes.tools import SEARCH, TOOL_HINT, TOOLS, is_tool, skill_of

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView


KEY = "smartAction"


def mentions(node: NodeView) -> Iterator[Mention]:
    """With tools: the skills among them and, where it may search, all sources; everything where `tools` is left out."""
    if not node.config.get("hermes"):
        return
    tools = node.config.get("tools")
    if tools is None and not node.stands("tools"):
        yield Mention("skill", "", (KEY,))
    if SEARCH in (tools or ()) or not node.stands("tools"):
        yield Mention("source", "", (KEY,))
    for position, tool in enumerate(tools or ()):
        if skill_of(tool):
            yield Mention("skill", skill_of(tool), (KEY, "tools", position))


def problems(node: NodeView) -> Iterator[Problem]:
    """One text comes out, and tools are those there are."""
    yield from one_text_output(node)
    for position, tool in enumerate(node.config.get("tools", ())):
        if not is_tool(tool):
            yield Problem(INVALID_VALUE, (KEY, "tools", position), f"there is no tool `{tool}`", TOOL_HINT)


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """The instruction as a compiled template, and how it may be carried out."""
    return model_spec(SMART_ACTION, node, lower)


SMART_ACTION = NodeType(
    name="smart_action",
    config_key=KEY,
    summary="Has a model carry out an instruction, in one call or with tools.",
    ports="completed, failed",
    exposes="the declared output, one string field",
    fields=(
        Field("prompt", TEMPLATE, "What to do.", required=True),
        hermes(),
        max_steps(),
        Field(
            "tools",
            TEXTS,
            f"The tools it may call ({', '.join(TOOLS)}, skill:<id>); left out: all; `[]`: none.",
            may_be_empty=True,
        ),
        context(),
        missing(),
    ),
    exits=exits("completed", "failed"),
    spec=spec,
    declares_output=MUST_DECLARE,
    outputs=declared_on_completed,
    problems=problems,
    mentions=mentions,
    acts_outside=True,
)
