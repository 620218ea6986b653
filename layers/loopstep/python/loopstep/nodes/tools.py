"""The tools that a model may be allowed, by the names a plan writes (CANVAS §3.3)."""

from __future__ import annotations

LIST_FILES, READ_FILE, WRITE_FILE, SEARCH = "list_files", "read_file", "write_file", "search_knowledge"
TOOLS = (LIST_FILES, READ_FILE, WRITE_FILE, SEARCH)
SKILL_PREFIX = "skill:"  # `skill:<id>` calls a registered skill

TOOL_HINT = "one of " + ", ".join((*TOOLS, f"{SKILL_PREFIX}<id>"))


def skill_of(tool: str) -> str:
    """The id of the skill that a tool's name calls, "" for any other tool."""
    return tool.removeprefix(SKILL_PREFIX) if tool.startswith(SKILL_PREFIX) else ""


def is_tool(name: str) -> bool:
    """Whether a plan may write that name."""
    return name in TOOLS or bool(skill_of(name))
