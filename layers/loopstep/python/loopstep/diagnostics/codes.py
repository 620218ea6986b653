"""The registry of diagnostic codes (LANGUAGE §10): every code the product can report, and none besides.

What people read about a code stands in `pages`, which only `explain`, the renderers and the docs load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from loopstep.diagnostics.diagnostic import ERROR, WARNING

if TYPE_CHECKING:
    from loopstep.diagnostics.pages import Page


class Code(NamedTuple):
    """A code, the severity it usually has, and the rule in one line."""

    name: str
    title: str
    severity: str = ERROR

    @property
    def page(self) -> Page:
        """Why the rule stands, with a wrong and a right example."""
        from loopstep.diagnostics.pages import PAGES

        return PAGES[self.name]


CODES: Final[dict[str, Code]] = {
    code.name: code
    for code in (
        Code("document.syntax", "The document is YAML 1.2 or JSON, one tree of plain values"),
        Code("document.duplicate_key", "A name stands once in a mapping"),
        Code("document.unknown_field", "Only the fields of the language may be written"),
        Code("document.missing_field", "A field that the language requires is missing"),
        Code("document.invalid_value", "A field does not take this value"),
        Code("document.version", "The document's apiVersion is one this compiler reads"),
        Code("document.too_large", "A document has at most 1 MiB, an expression 4,096 characters"),
        Code("schema.invalid", "A Schema says a type and constraints that make sense together"),
        Code("schema.default_mismatch", "A default satisfies its own schema"),
        Code("reference.unknown_root", "A reference begins with a root of the language"),
        Code("reference.unavailable", "A root is read only where it has a value"),
        Code("reference.unknown_field", "A reference goes through declared fields"),
        Code("reference.optional", "A value that may be absent is used under a guard"),
        Code("expr.syntax", "An expression follows the grammar"),
        Code("expr.type_mismatch", "An operator or function takes these types only"),
        Code("expr.not_boolean", "A condition is true or false"),
        Code("template.syntax", "A {{ in a text is closed by }}"),
        Code("template.optional_reference", "A text shows nothing where its value is absent", WARNING),
        Code("value.exclusive", "A value is exactly one of value, ref and expr"),
        Code("binding.required_target", "A required field is bound"),
        Code("binding.unknown_target", "Only declared fields are bound"),
        Code("binding.type_mismatch", "A value fits the type of its target"),
        Code("binding.optional_source", "A required field is bound from a value that is always there"),
        Code("convert.unsupported", "A conversion is one the registry has"),
        Code("state.undeclared", "Only declared state is assigned"),
        Code("state.duplicate_assignment", "One activation assigns a path once"),
        Code("state.parallel_conflict", "What runs at the same time does not share state that one side writes"),
        Code("state.needs_default", "Required state has a default"),
        Code("graph.unknown_node", "An edge names nodes of the plan"),
        Code("graph.unknown_port", "An edge names ports that its node has"),
        Code("graph.duplicate_id", "An id is used once"),
        Code("graph.unwired_port", "Every exit leads somewhere"),
        Code("graph.unreachable", "Every node can be reached from the entry", WARNING),
        Code("graph.cycle_without_loop", "A cycle goes through a loop node"),
        Code("graph.join_unpaired", "A join closes one fan_out, and a fan_out has one join"),
        Code("graph.region_escape", "A parallel part or loop body is left only at its end"),
        Code("graph.end_in_region", "A run does not succeed inside a parallel part or loop body"),
        Code("edge.ambiguous", "One edge of a port at most has no condition"),
        Code("edge.no_default", "Of the edges of a port one has no condition", WARNING),
        Code("output.missing", "A plan that promises output reaches an end that delivers it"),
        Code("registry.unknown", "A named agent, skill or source is registered in the stack"),
        Code("canvas.variable_shadowed", "A canvas variable is written by one node", WARNING),
        Code("canvas.unknown_variable", "A canvas placeholder or input is filled by a node before it", WARNING),
        Code("canvas.invalid_name", "A canvas variable has a name that a field can have"),
        Code("canvas.cycle", "A canvas has no cycle"),
        Code("canvas.no_start", "A canvas has a node to start from"),
        Code("canvas.unknown_node", "A canvas edge or mapping names nodes of the canvas"),
        Code("limit.definition_size", "The compiled state machine has at most 1 MiB"),
        Code("limit.state_size", "The fixed part of one state has at most 128 KiB"),
        Code("limit.nodes", "A plan has at most 1,000 nodes and 5,000 edges"),
        Code("limit.depth", "Documents, expressions and regions are nested at most 64 deep"),
        Code("limit.history", "One execution fits into 25,000 history events", WARNING),
    )
}


def severity(name: str) -> str:
    """The usual severity of a code: "error" or "warning". Raises KeyError for a code that is not in the registry."""
    return CODES[name].severity
