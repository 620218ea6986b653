"""The JSON Schema (draft-07) of `loop.plan/v1`, from the grammar of documents and the declarations of node types.

What hangs on other places (names, types, scopes, the graph) is the compiler's; an editor gets that from `loopstep lsp`.
"""

from __future__ import annotations

import json
from typing import Any

from loopstep.compiler import grammar
from loopstep.compiler.grammar import LIST, MAPPINGS, Part
from loopstep.compiler.parse_config import RESERVED_BRANCHES
from loopstep.convert.registry import KINDS, TARGETS
from loopstep.nodes import field as kinds
from loopstep.nodes.catalog import CATALOG
from loopstep.nodes.field import Field
from loopstep.nodes.node_type import MUST_DECLARE, NO_OUTPUT, NodeType
from loopstep.schema import leaves
from loopstep.schema.leaves import Json
from loopstep.schema.skeletons import config_skeleton, edge_skeleton, node_skeleton, plan_skeleton

_PORTS = ("completed", "failed")


def plan_schema() -> Json:
    """The whole schema, as JSON data."""
    root = _mapping("plan")
    root["defaultSnippets"] = [_snippet("plan", "A plan with one step", plan_skeleton())]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "loopstep plan",
        "description": "A typed workflow plan, loop.plan/v1.",
        **root,
        "definitions": _definitions(),
    }


def schema_text() -> str:
    """The file: two blanks of indentation, a last line that ends."""
    return json.dumps(plan_schema(), ensure_ascii=False, indent=2) + "\n"


def _definitions() -> dict[str, Json]:
    made = {name: _mapping(name) for name in MAPPINGS if name not in ("plan", "node")}
    made["schema"]["allOf"] = leaves.by_type()
    made["value"] |= {
        "oneOf": [{"required": [name]} for name in ("value", "ref", "expr")],
        "dependencies": {"default": ["ref"], "convert": {"not": {"required": ["value"]}}},
        "defaultSnippets": [
            _snippet("ref", "A reference", {"ref": "${1:plan.input.x}"}),
            _snippet("value", "A literal", {"value": "$1"}),
            _snippet("expr", "An expression", {"expr": "$1"}),
        ],
    }
    made["fields"] = _names({"$ref": "#/definitions/schema"}) | {
        "defaultSnippets": [_snippet("field", "A required text", {"${1:name}": {"type": "string", "required": True}})]
    }
    made["stateFields"] = _names({"allOf": [{"$ref": "#/definitions/schema"}, _needs_default()]})
    made["values"] = _names({"$ref": "#/definitions/value"})
    made["node"] = _node()
    return made


def _names(entry: Json) -> Json:
    return {"type": "object", "propertyNames": {"pattern": leaves.FIELD_PATTERN}, "additionalProperties": entry}


def _needs_default() -> Json:
    """A required state field has a default (LANGUAGE §7)."""
    required = {"properties": {"required": {"const": True}}, "required": ["required"]}
    return {"if": required, "then": {"required": ["default"]}}


def _mapping(name: str) -> Json:
    mapping = MAPPINGS[name]
    return {
        "type": "object",
        "properties": {part.name: _part(part, name) for part in mapping.parts},
        "required": list(mapping.required),
        "additionalProperties": False,
    }


def _part(part: Part, holder: str) -> Json:
    made = _holds(part, holder)
    shown: Json = {"description": _plain(part.summary), "markdownDescription": _markdown(part)}
    if "$ref" in made:  # what stands beside a reference is passed over in draft-07
        return {"allOf": [made], **shown}
    if part.example and part.holds not in (grammar.CONSTANT, grammar.EXIT_PORT) and made.get("type") == "string":
        made["examples"] = [part.example.strip('"')]
    return made | shown


def _plain(text: str) -> str:
    return text.replace("`", "")


def _markdown(part: Part) -> str:
    example = f"\n\n```yaml\n{part.name}: {part.example}\n```" if part.example else ""
    return f"{part.summary}{' **Required.**' if part.required else ''}{example}"


def _holds(part: Part, holder: str) -> Json:
    if part.holds.startswith(LIST):
        name = part.holds.removeprefix(LIST)
        return {"type": "array", "items": {"$ref": f"#/definitions/{name}"}, "defaultSnippets": _items(name)}
    if part.holds in MAPPINGS:
        return {"$ref": f"#/definitions/{part.holds}"}
    if part.holds == grammar.FIELDS:
        state = holder == "plan" and part.name == "state"
        return {"$ref": "#/definitions/stateFields" if state else "#/definitions/fields"}
    if part.holds in (grammar.INTEGER, grammar.NUMBER):
        return {"type": part.holds, **leaves.ranged(part.low, part.high)}
    if part.holds == grammar.ENTRY_PORT and holder == "entry":
        return {"const": "in"}
    return json.loads(json.dumps(_LEAVES[part.holds])) if part.holds in _LEAVES else _listed(part)


def _listed(part: Part) -> Json:
    """A field with a list of words that have a sentence each."""
    if part.holds == grammar.CONSTANT:
        return {"type": "string", "enum": list(part.choices), "default": part.choices[0]}
    if part.holds == grammar.NODE_TYPE:
        return _words({each.name: each.summary for each in CATALOG.values()})
    if part.holds == grammar.TYPE:
        return _words(grammar.TYPES)
    if part.holds == grammar.TARGET:
        return _words({name: grammar.TYPES[name] for name in TARGETS if name != "scope"})
    assert part.holds == grammar.KIND, part.holds
    return {"type": "string", "enum": list(KINDS)}


def _words(told: dict[str, str]) -> Json:
    return {
        "type": "string",
        "enum": list(told),
        "enumDescriptions": [_plain(text) for text in told.values()],
        "markdownEnumDescriptions": list(told.values()),
    }


_WORD: Json = {"type": "string", "pattern": leaves.WORD_PATTERN}
_LEAVES: dict[str, Json] = {
    grammar.ID: {"type": "string", "pattern": leaves.ID_PATTERN},
    grammar.TEXT: {"type": "string"},
    grammar.FLAG: {"type": "boolean"},
    grammar.DURATION: {"type": "string", "pattern": leaves.SECONDS_PATTERN},
    grammar.CONDITION: _WORD,
    grammar.VALUES: {"$ref": "#/definitions/values"},
    grammar.NODE_ID: _WORD,
    grammar.EXIT_PORT: _WORD | {"examples": [*_PORTS, "approved", "rejected", "timed_out", "item", "body"]},
    grammar.ENTRY_PORT: {"type": "string", "enum": ["in", "next"]},
    grammar.LITERAL: {"type": leaves.PRESENT},
    grammar.LITERALS: {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": leaves.PRESENT}},
    grammar.REFERENCE: {"type": "string", "pattern": leaves.REFERENCE_PATTERN},
    grammar.EXPRESSION: _WORD,
    grammar.TEMPLATE: {"type": "string"},
    grammar.INPUTS: {"type": "array", "items": {"type": "string"}},
    grammar.STATE_PATH: _WORD,
    grammar.MODE: {"type": "string"},
}


def _items(name: str) -> list[Json]:
    if name == "edge":
        return [_snippet("edge", "An edge", [edge_skeleton()])]
    return [_snippet(each.name, each.summary, [node_skeleton(each)]) for each in CATALOG.values()]


def _snippet(label: str, description: str, body: Any) -> Json:
    return {"label": label, "description": _plain(description), "body": body}


# -- nodes -------------------------------------------------------------------------------------------------------------


def _node() -> Json:
    common = MAPPINGS["node"].by_name
    always = {name: _part(common[name], "node") for name in ("id", "type")}
    return {
        "type": "object",
        "properties": always,
        "required": ["id", "type"],
        "allOf": [leaves.when("type", each.name, _of_type(each)) for each in CATALOG.values()],
    }


def _of_type(node_type: NodeType) -> Json:
    """What a node of the type may have: the common fields that it takes, and its own key."""
    parts: dict[str, Json] = {}
    for part in MAPPINGS["node"].parts:
        if part.name == "output" and node_type.declares_output == NO_OUTPUT:
            continue
        if part.name in ("retry", "timeout") and not node_type.acts_outside:
            continue
        parts[part.name] = {} if part.name in ("id", "type") else _part(part, "node")
    parts[node_type.config_key] = _config(node_type)
    output = ["output"] if node_type.declares_output == MUST_DECLARE else []
    return {"properties": parts, "required": [node_type.config_key, *output], "additionalProperties": False}


def _config(node_type: NodeType) -> Json:
    made: Json = {
        "type": "object",
        "description": _plain(node_type.summary),
        "markdownDescription": "\n\n".join((node_type.summary, f"Exit ports: {node_type.ports}.", *node_type.notes)),
        "properties": {one.name: _field(one) for one in node_type.fields},
        "required": list(node_type.required),
        "additionalProperties": False,
        "defaultSnippets": [_snippet(node_type.config_key, node_type.summary, config_skeleton(node_type))],
    }
    rules = leaves.beside(node_type)
    return made | ({"allOf": rules} if rules else {})


def _field(one: Field) -> Json:
    shown = {"description": _plain(one.summary), "markdownDescription": one.summary}
    if one.required:
        shown["markdownDescription"] += " **Required.**"
    made = _field_holds(one)
    default = {"default": one.default} if isinstance(one.default, (str, int, float)) else {}
    return made | default | shown


def _field_holds(one: Field) -> Json:
    if one.kind == kinds.VALUE:
        typed = leaves.literal(one.schema.type) if one.schema is not None else {}
        return {"allOf": [{"$ref": "#/definitions/value"}, {"properties": {"value": typed, "default": typed}}]}
    if one.kind == kinds.CHOICE:
        return {"type": "string", "enum": list(one.choices)}
    if one.kind in (kinds.INTEGER, kinds.NUMBER):
        return {"type": one.kind, **leaves.ranged(one.low, one.high)}
    if one.kind == kinds.TEXTS:
        return {"type": "array", "items": _WORD, "minItems": 0 if one.may_be_empty else 1}
    made: Json = json.loads(json.dumps(_FIELDS[one.kind]))
    return made


_FIELDS: dict[str, Json] = {
    kinds.TEMPLATE: {"type": "string"},
    kinds.CONDITION: _WORD,
    kinds.FLAG: {"type": "boolean"},
    kinds.DURATION: {"type": "string", "pattern": leaves.SECONDS_PATTERN},
    kinds.TEXT: _WORD,
    kinds.NAMES: {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"type": "string", "pattern": leaves.ID_PATTERN, "not": {"enum": sorted(RESERVED_BRANCHES)}},
    },
    kinds.CONTEXT: {"anyOf": [{"enum": ["none", "input"]}, {"type": "array", "items": {"type": "string"}}]},
    kinds.ASSIGNMENTS: {"type": "array", "items": {"$ref": "#/definitions/assignment"}},
    kinds.MERGE: {"allOf": [{"$ref": "#/definitions/values"}]},
    kinds.QUESTIONS: {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/question"}},
}
