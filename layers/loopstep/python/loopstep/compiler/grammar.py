"""The mappings that a plan document is made of (LANGUAGE §2–§8): their fields, which are required, what each holds.

Declared once: the parsers take the names from here, the JSON Schema of plans and the editor what they say. What stands
under a node type's own key is declared in `nodes`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

# What a field holds. A name of MAPPINGS: that mapping. With LIST in front: a list of them.
CONSTANT = "constant"  # the one text in `choices`
ID = "id"
TEXT = "text"
FLAG = "flag"
INTEGER = "integer"  # from `low` to `high`
NUMBER = "number"  # from `low` to `high`
CHOICE = "choice"  # one of `choices`
DURATION = "duration"
CONDITION = "condition"  # a boolean expression
FIELDS = "fields"  # a map of field names to Schemas
VALUES = "values"  # a map of field names to ValueExprs
NODE_TYPE = "node type"
NODE_ID = "node id"
EXIT_PORT = "exit port"
ENTRY_PORT = "entry port"
TYPE = "type"  # of a Schema
LITERAL = "literal"
LITERALS = "literals"  # a list of them, one or more
REFERENCE = "reference"
EXPRESSION = "expression"
TEMPLATE = "template"
INPUTS = "inputs"  # a list of names of the node's inputs
STATE_PATH = "state path"
TARGET = "conversion target"  # a type that something converts to
MODE = "conversion mode"  # of a conversion
KIND = "conversion kind"  # of a conversion's source
LIST = "list of "

API_VERSION: Final = "loop.plan/v1"
PLAN_KIND: Final = "PlanVersion"


class Part(NamedTuple):
    """One field of a mapping. `summary` is for readers; `example` is YAML that may stand behind its colon."""

    name: str
    holds: str
    summary: str
    required: bool = False
    example: str = ""
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


class Mapping(NamedTuple):
    """`title` names it in a sentence."""

    title: str
    parts: tuple[Part, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(part.name for part in self.parts)

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts if part.required)

    @property
    def keys(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """(all names, the required ones)."""
        return self.names, self.required

    @property
    def by_name(self) -> dict[str, Part]:
        return {part.name: part for part in self.parts}


_TITLE = Part("title", TEXT, "A title for people.", example="A title")
_NODE_ID = Part("nodeId", NODE_ID, "The id of a node of this plan.", True)
_ENTER = Part("port", ENTRY_PORT, "The port it enters by: `in`, or `next` of a loop.", True, "in")

MAPPINGS: Final[dict[str, Mapping]] = {
    "plan": Mapping(
        "the plan",
        (
            Part("apiVersion", CONSTANT, "The version of the plan language.", True, API_VERSION, (API_VERSION,)),
            Part("kind", CONSTANT, "What the document is.", True, PLAN_KIND, (PLAN_KIND,)),
            Part("metadata", "metadata", "The plan's name, and what people read about it."),
            Part("timeout", DURATION, "How long a whole Run may take, P30D if left out.", example="P1D"),
            Part("input", FIELDS, "What an Invocation has to bring: fields and their Schemas, read as `plan.input.*`."),
            Part("output", FIELDS, "What a successful Run delivers: the input of a succeeded `end`."),
            Part("state", FIELDS, "What a Run may remember, written by set_variable alone, read as `state.*`."),
            Part("graph", "graph", "Where a Run starts, its steps, and how they are connected.", True),
        ),
    ),
    "metadata": Mapping(
        "`metadata`",
        (
            Part("name", ID, "The plan's name; publishing under another one is possible.", example="my_plan"),
            _TITLE,
            Part("description", TEXT, "What the plan is for.", example="What the plan is for."),
        ),
    ),
    "graph": Mapping(
        "`graph`",
        (
            Part("entry", "entry", "Where a Run starts.", True),
            Part("nodes", LIST + "node", "The steps.", True),
            Part("edges", LIST + "edge", "What leads from an exit port of one node to an entry port of another.", True),
        ),
    ),
    "entry": Mapping(
        "`entry`",
        (
            Part("nodeId", NODE_ID, "The first node.", True),
            Part("port", ENTRY_PORT, "Always `in`.", True, "in"),
            Part("input", VALUES, "What the first node gets; left out: the plan's input, which has to fit."),
        ),
    ),
    "edge": Mapping(
        "an edge",
        (
            Part("id", ID, "Its name, unique among edges; `explain` and timelines show it.", True, "an_edge"),
            Part("source", "source", "The node it leaves, and by which port.", True),
            Part("target", "target", "The node it leads to, and by which port.", True),
            Part("when", CONDITION, "Taken only when this is true; edges of a port are tried in document order."),
            Part(
                "bindings",
                VALUES,
                "What the target gets; left out: the source's output (or input) as a whole, which has to fit.",
            ),
        ),
    ),
    "source": Mapping("`source`", (_NODE_ID, Part("port", EXIT_PORT, "The port it leaves by.", True, "completed"))),
    "target": Mapping("`target`", (_NODE_ID, _ENTER)),
    "node": Mapping(
        "a node",
        (
            Part("id", ID, "Its name, unique among nodes.", True, "a_node"),
            Part("type", NODE_TYPE, "What it does; its settings stand under a key of that type's own.", True),
            _TITLE,
            Part("input", FIELDS, "What it gets, bound by the edges that lead to it and read as `input.*`."),
            Part("preconditions", INPUTS, "Optional inputs that have to be there when it starts, else it fails."),
            Part("output", FIELDS, "What it delivers, read as `output.*` on the edges that leave it."),
            Part("retry", "retry", "Whether and when it is tried again after a failure that may pass."),
            Part("timeout", DURATION, "How long one attempt may take.", example="PT30S"),
        ),
    ),
    "retry": Mapping(
        "`retry`",
        (
            Part("maxAttempts", INTEGER, "All tries counted; 1 if left out.", example="3", low=1, high=10),
            Part("backoff", DURATION, "The wait before the second try, PT1S if left out.", example="PT1S"),
            Part("factor", NUMBER, "Each wait is that much longer, 2 if left out.", example="2", low=1, high=10),
            Part("maxBackoff", DURATION, "The longest wait, above `backoff`.", example="PT1M"),
        ),
    ),
    "schema": Mapping(
        "a Schema",
        (
            Part("type", TYPE, "The type of the value.", True, "string"),
            Part("required", FLAG, "Whether it has to be there; with a default it may be left out.", example="true"),
            Part("default", LITERAL, "What stands where it is left out; has to fit this Schema."),
            Part("description", TEXT, "What it is, for people and models."),
            Part("enum", LITERALS, "The values it may have.", example="[a, b]"),
            Part("items", "schema", "Of an array: the Schema of its items.", example="{type: string}"),
            Part("properties", FIELDS, "Of an object: its fields. Left out, it is open and nothing in it can be read."),
            Part("additional", FLAG, "Of an object: whether it may hold other fields as well.", example="true"),
            Part("secret", FLAG, "Whether logs, listings and exports hide it.", example="true"),
            Part("minLength", INTEGER, "Of a text: at least so many characters.", low=0),
            Part("maxLength", INTEGER, "Of a text: at most so many characters.", low=0),
            Part("minimum", NUMBER, "Of a number: at least."),
            Part("maximum", NUMBER, "Of a number: at most."),
            Part("minItems", INTEGER, "Of an array: at least so many items.", low=0),
            Part("maxItems", INTEGER, "Of an array: at most so many items.", low=0),
        ),
    ),
    "value": Mapping(
        "a value",
        (
            Part("value", LITERAL, "A literal, typed by where it goes."),
            Part("ref", REFERENCE, "One reference, such as `plan.input.x`.", example="plan.input.x"),
            Part("expr", EXPRESSION, "A typed expression, such as `input.n + 1`.", example="input.n + 1"),
            Part("convert", "convert", "An explicit change of type, with `ref` or `expr`.", example="{to: string}"),
            Part("default", LITERAL, "With `ref`: what stands where the source is absent."),
        ),
    ),
    "convert": Mapping(
        "`convert`",
        (
            Part("to", TARGET, "The type that comes out.", True, "string"),
            Part("mode", MODE, "One of the ways in which that conversion works."),
            Part("from", KIND, "The kind of the source; a bare `ref` to an output field has it by itself."),
            Part("topK", INTEGER, "Of evidences as an array: only the first so many.", example="3", low=1),
            Part("orAbsent", FLAG, "What gives no value is absent, and no failure.", example="true"),
        ),
    ),
    "assignment": Mapping(
        "an assignment",
        (
            Part("state", STATE_PATH, "The state field, or a path into one, such as `order.total`.", True),
            Part("value", "value", "What it gets.", True, "{ref: input.x}"),
        ),
    ),
    "question": Mapping(
        "a condition",
        (Part("expression", TEMPLATE, "What the model judges, a text with `{{ }}`.", True, '"{{ input.x }} is true"'),),
    ),
}

TYPES: Final[dict[str, str]] = {
    "string": "A text.",
    "number": "A finite number.",
    "integer": "A whole number, within ±(2^53−1).",
    "boolean": "`true` or `false`.",
    "array": "A list; `items` says of what.",
    "object": "A map; `properties` says which fields it has.",
    "scope": "Where messages go: a text that no string is assignable to.",
    "duration": "A length of time, ISO 8601: `PT30S`, `P7D`.",
    "datetime": "A point in time, RFC 3339: `2026-01-31T09:00:00Z`.",
    "filePath": "A file in the Run's working directory.",
    "directoryPath": "A directory in the Run's working directory.",
    "any": "Anything; nothing in it can be read without a conversion.",
}
"""Each type of a Schema, in a sentence."""

ROOTS: Final[dict[str, str]] = {
    "plan": "The plan's input (`plan.input.*`), its name and version, the Run's id and start.",
    "input": "The input of this activation of the node.",
    "output": "What the node delivered, on the edges that leave a port with output.",
    "state": "What the Run remembers, as of the last commit.",
    "error": "Why the node failed, on the edges that leave `failed`.",
    "loop": "The counters of the innermost loop.",
    "item": "The element, on the edges that leave a fan_out's `item`.",
    "items": "What each arrival brought, in item order; `items.f` is the array of its field f.",
    "branches": "What the arrival of each branch brought.",
    "winner": "The first arrival, of a join with mode any.",
}
"""Each root of a reference, in a sentence (LANGUAGE §5)."""

FUNCTIONS: Final[dict[str, str]] = {
    "contains": "Whether a text stands in a text, or a scalar among the items of an array.",
    "startsWith": "Whether a text begins with another.",
    "endsWith": "Whether a text ends with another.",
    "length": "The characters of a text, the items of an array, or the present fields of an object.",
}
"""Each function of expressions, in a sentence (LANGUAGE §6)."""
