"""A registered skill as a tool: one model call with its instructions, and no tools of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from loopstep.gateways.models import ModelRefused, Reply, Request, user
from loopstep.registry.records import Entry
from loopstep.runtime.prompts import system_prompt
from loopstep.runtime.tools.instructions import inputs_of, property_names, user_text
from loopstep.runtime.tools.tool import AgentTool, Unable
from loopstep.runtime.tools.weight import cut, readable
from loopstep.types.schema import Fields, Schema

_NAME_LENGTH = 64  # of a tool, as every model takes it
_ABOUT_CHARACTERS = 1_000
_TYPES = frozenset(("string", "number", "integer", "boolean", "array", "object"))

Asking = Callable[[Request], Reply]  # one bounded and counted model call


class SkillTools(NamedTuple):
    """Makes tools of skills: by which model call, and for which model where a skill names none."""

    ask: Asking
    model: str

    def tool(self, entry: Entry, taken: Collection[str]) -> AgentTool:
        """The tool of one skill, under a name that none of `taken` is."""
        own_of = {told: own for own, told in property_names(entry).items()}
        content = entry.content

        def run(values: dict[str, Any]) -> str:
            text = user_text(entry, {own_of[told]: value for told, value in values.items()})
            system = system_prompt(content["instructions"], prompts=(text,))
            request = Request(content.get("model") or self.model, system, (user(text),))
            try:
                return readable(self.ask(request).text)
            except ModelRefused as refused:
                raise Unable(f"the skill's model refused: {refused}") from None

        about = content.get("description") or content.get("name") or entry.id
        return AgentTool(tool_name(entry.id, taken), cut(str(about), _ABOUT_CHARACTERS, "…"), _fields(entry), run)


def tool_name(id: str, taken: Collection[str]) -> str:
    """`skill_<id>`, cut to what models take, and another than all of `taken`."""
    name, number = f"skill_{id}"[:_NAME_LENGTH], 1
    while name in taken:
        number += 1
        ending = f"_{number}"
        name = f"skill_{id}"[: _NAME_LENGTH - len(ending)] + ending
    return name


def _fields(entry: Entry) -> Fields:
    """The declared inputs as the contract of the tool's input; a nominal type is a text, an unknown one anything."""
    told = property_names(entry)
    fields: Fields = {}
    for each in inputs_of(entry):
        own, kind = each["name"], each.get("type") or "string"
        about = str(each.get("description") or "")
        if told[own] != own:
            about = f"{own}: {about}" if about else own
        kind = kind if kind in _TYPES else "any" if kind == "any" else "string"
        fields[told[own]] = Schema(kind, bool(each.get("required")), description=cut(about, _ABOUT_CHARACTERS, "…"))
    return fields
