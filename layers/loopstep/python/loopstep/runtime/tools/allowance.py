"""What a node may use: fixed by the plan and the registry's pinned versions before the model says its first word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from loopstep.gateways.models import Models, Reply, Request
from loopstep.registry.records import SKILL, SOURCE, Entry
from loopstep.registry.store import RegistryStore
from loopstep.runtime.tool_loop import Bounds, ask, refuse_all
from loopstep.runtime.tools.account import Account
from loopstep.runtime.tools.files import LIST, READ, WRITE, file_tools
from loopstep.runtime.tools.knowledge import SEARCH, search_tool
from loopstep.runtime.tools.limits import SKILLS
from loopstep.runtime.tools.skills import SkillTools
from loopstep.runtime.tools.tool import AgentTool
from loopstep.runtime.working_directory import WorkingDirectory

if TYPE_CHECKING:
    from loopstep.knowledge.port import Knowledge

BUILT_IN = (LIST, READ, WRITE, SEARCH)
SKILL_PREFIX = "skill:"

Pins = Mapping[str, Mapping[str, int]]  # versions by kind and id


class Allowance(NamedTuple):
    """`built_in` are names of BUILT_IN, `left_out` counts skills beyond SKILLS, which are not offered."""

    built_in: frozenset[str]
    skills: tuple[Entry, ...]
    sources: Mapping[str, Entry]
    left_out: int = 0


NOTHING = Allowance(frozenset(), (), {})


class Means(NamedTuple):
    """What tools work with. `directory` gives a run's working directory, `knowledge` is asked for at its first use."""

    models: Models
    registry: RegistryStore
    directory: Callable[[str], WorkingDirectory]
    knowledge: Callable[[], Knowledge]


def allowance_of_entry(entry: Entry, pins: Pins, registry: RegistryStore) -> Allowance:
    """What a registered skill or agent may use: `tools` (left out: all), and the skills and sources that it names."""
    tools, content = entry.content.get("tools"), entry.content
    built_in = frozenset(BUILT_IN) if tools is None else frozenset(BUILT_IN) & frozenset(tools)
    return _allowance(built_in, content.get("skills") or (), content.get("sources") or (), pins, registry)


def allowance_of_action(tools: list[str] | None, pins: Pins, registry: RegistryStore) -> Allowance:
    """What a smart action may use: the tools that the plan lists; left out: all, with everything that is pinned."""
    skills: Iterable[str] = pins.get(SKILL, {})
    if tools is not None:
        skills = [each.removeprefix(SKILL_PREFIX) for each in tools if each.startswith(SKILL_PREFIX)]
    built_in = frozenset(BUILT_IN) if tools is None else frozenset(BUILT_IN) & frozenset(tools)
    return _allowance(built_in, skills, pins.get(SOURCE, {}), pins, registry)


def _allowance(
    built_in: frozenset[str], skills: Iterable[str], sources: Iterable[str], pins: Pins, registry: RegistryStore
) -> Allowance:
    """The pinned versions of these; a name that the plan version does not pin is not allowed."""
    pinned = [each for each in dict.fromkeys(skills) if each in pins.get(SKILL, {})]
    asked = [each for each in dict.fromkeys(sources) if each in pins.get(SOURCE, {})] if SEARCH in built_in else []
    return Allowance(
        built_in,
        tuple(registry.get(SKILL, each, pins[SKILL][each]) for each in pinned[:SKILLS]),
        {each: registry.get(SOURCE, each, pins[SOURCE][each]) for each in asked},
        max(0, len(pinned) - SKILLS),
    )


def make_tools(
    allowed: Allowance, means: Means, run: str, model: str, bounds: Bounds, account: Account
) -> list[AgentTool]:
    """The tools that are allowed, and no others. `search_knowledge` needs a source, a skill is a tool of its own."""
    made = [tool for name, tool in file_tools(means.directory(run)).items() if name in allowed.built_in]
    if SEARCH in allowed.built_in and allowed.sources:
        made.append(search_tool(means.knowledge(), allowed.sources, bounds.time))

    def asking(request: Request) -> Reply:
        reply = ask(means.models, request, bounds, account)
        refuse_all(reply.calls, "a skill has no tools", account)
        return reply

    skills = SkillTools(asking, model)
    for entry in allowed.skills:
        made.append(skills.tool(entry, [tool.name for tool in made]))
    return made
