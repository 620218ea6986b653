"""The node types of a canvas (CANVAS §3): what each writes, which plan node it becomes, and from which of its data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loopstep.canvas.model import Field
from loopstep.convert.registry import kind_of_field
from loopstep.diagnostics.suggest import did_you_mean
from loopstep.nodes.knowledge_retrieval import FOUND, FOUND_HYBRID, HYBRID
from loopstep.source.document import Mapping, Scalar

if TYPE_CHECKING:
    from loopstep.diagnostics.collector import Reporter

FILES, RUN_ID = "_workingDirFiles", "_runId"
LISTED = "files"  # the output of the plan's list_files

Declared = tuple[Field, ...]  # `data.outputs`, or a userInput's `data.variables`
Outputs = Callable[[Declared, "Mapping | None", "Reporter"], Declared]


@dataclass(frozen=True, slots=True)
class CanvasType:
    """`templates` and `settings`: keys of `data` to fields of the plan node's config. `declares`: the key of `data`
    that declares what it writes, `wants` the one that declares what it reads. `context`: it shows the variables to a
    model; `branches`: it leaves by handles; `delivers`: it ends a path with what the run delivers.
    """

    name: str
    plan_type: str
    outputs: Outputs
    declares: str = "outputs"
    wants: str = "inputs"
    templates: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    context: bool = False
    missing: bool = False  # its config says what an absent value shows
    branches: bool = False
    delivers: bool = False
    registers: bool = False  # it writes what the Invocation brought
    asks_sources: bool = False  # ids of sources stand in its data, by kind of source


def one_text(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """The first declared field or `result`, the whole answer as text, whatever type is declared."""
    name, at = (declared[0].name, declared[0].at) if declared else ("result", None)
    return (Field(name, "string", "text", at),)


def answer_fields(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """Several fields are read from one JSON object; one, or none, is the whole answer."""
    if len(declared) < 2:
        return one_text(declared, data, report)
    return tuple(Field(each.name, each.type, "structured", each.at) for each in declared)


def as_declared(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """A userInput's variables."""
    return declared


def nothing(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """A condition writes no variable."""
    return ()


def evidence_fields(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """What is picked from the fixed fields; the first four where nothing is."""
    source = data.entries.get("source") if data is not None else None
    known = FOUND_HYBRID if isinstance(source, Scalar) and source.value == HYBRID else FOUND
    picked = []
    for each in declared or tuple(Field(name, "", "") for name in FOUND):
        if each.name in known:
            kind = kind_of_field("knowledge_retrieval", each.name)
            picked.append(Field(each.name, known[each.name].type, kind, each.at))
        elif each.at is not None:
            hint = did_you_mean(each.name, known) or "it has " + ", ".join(known)
            report.error("document.invalid_value", f"a retrieval brings no `{each.name}`", each.at, hint)
    return tuple(picked)


def files_and_run(declared: Declared, data: Mapping | None, report: Reporter) -> Declared:
    """What nodes behind an output node can read of it."""
    return Field(FILES, "array", "workingDirFiles"), Field(RUN_ID, "string", "value")


_WORK = (("hermes", "hermes"), ("maxSteps", "maxSteps"))

CANVAS_TYPES: dict[str, CanvasType] = {
    each.name: each
    for each in (
        CanvasType("userInput", "set_variable", as_declared, declares="variables", registers=True),
        CanvasType(
            "llm",
            "llm",
            answer_fields,
            templates=(("systemPrompt", "system"), ("userPrompt", "prompt")),
            settings=(("model", "model"), ("temperature", "temperature"), ("maxTokens", "maxTokens")),
            context=True,
            missing=True,
        ),
        CanvasType("agent", "agent", one_text, settings=(("agentId", "agentId"), *_WORK), context=True),
        CanvasType("skill", "skill", one_text, settings=(("skillId", "skillId"), *_WORK), context=True),
        CanvasType(
            "smartAction",
            "smart_action",
            one_text,
            templates=(("actionPrompt", "prompt"),),
            settings=(*_WORK, ("tools", "tools")),
            context=True,
            missing=True,
        ),
        CanvasType(
            "knowledgeRetrieval",
            "knowledge_retrieval",
            evidence_fields,
            templates=(("query", "query"),),
            settings=(("source", "source"), ("topK", "topK")),
            missing=True,
            asks_sources=True,
        ),
        CanvasType("condition", "condition", nothing, context=True, missing=True, branches=True),
        CanvasType("output", "list_files", files_and_run, wants="fields", delivers=True),
    )
}
