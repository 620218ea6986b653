"""`search_knowledge`: asks the sources that the node may use, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from loopstep.runtime.tools.tool import AgentTool, Unable
from loopstep.runtime.tools.weight import cut, on_one_line
from loopstep.types.schema import Schema
from loopstep.types.text import json_text

if TYPE_CHECKING:
    from loopstep.knowledge.port import Knowledge
    from loopstep.registry.records import Entry

SEARCH = "search_knowledge"

_CONTENT_CHARACTERS = 2_000  # of one evidence
_TOP_K, _MOST = 5, 20
_QUERY_CHARACTERS = 2_000
_SECONDS = 30.0


def search_tool(knowledge: Knowledge, sources: Mapping[str, Entry], seconds: Callable[[], float]) -> AgentTool:
    """The tool over these sources; `seconds` says how long it may take."""
    fields = {
        "query": Schema(
            "string", required=True, min_length=1, max_length=_QUERY_CHARACTERS, description="What to find."
        ),
        "topK": Schema("integer", minimum=1, maximum=_MOST, description=f"Most findings, {_TOP_K} if left out."),
    }

    def run(values: dict[str, Any]) -> str:
        found = knowledge.retrieve(sources, values["query"], values.get("topK", _TOP_K), min(_SECONDS, seconds()))
        if found.failed:
            raise Unable("no source answered")
        return "\n\n".join(_told(number, each) for number, each in enumerate(found.evidences, 1)) or "nothing found"

    names = ", ".join(_name(str(each.content.get("name") or id)) for id, each in sources.items())
    return AgentTool(SEARCH, cut(f"Search the knowledge sources: {names}.", 1000, "…"), fields, run)


def _name(name: str) -> str:
    """A source's name as one quoted word of a description, on one line."""
    return json_text(on_one_line(cut(name, 80, "…")))


def _told(number: int, evidence: Mapping[str, Any]) -> str:
    """One finding: a line that says what it is, then its content."""
    title = evidence.get("title") or evidence.get("id") or ""
    source = evidence.get("sourceName") or ""
    content = evidence.get("content")
    text = content if isinstance(content, str) else json_text(content)
    return f"[{number}] {title} ({source})\n{cut(text, _CONTENT_CHARACTERS)}"
