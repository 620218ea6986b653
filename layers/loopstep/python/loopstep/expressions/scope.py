"""What a place of a plan may read (LANGUAGE §5): roots with their types, and which references are proven present."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from loopstep.diagnostics.suggest import nearest
from loopstep.expressions.ast import Path, Reference, path_text
from loopstep.expressions.faults import ExprFault
from loopstep.types.schema import TYPES, Fields, Schema, describe

ROOTS = ("plan", "input", "output", "state", "error", "loop", "item", "items", "branches", "winner")
"""Every root of the language."""

_GROUPS = frozenset(
    {"plan", "plan.input", "plan.run", "input", "output", "state", "error", "loop", "branches", "winner"}
)
"""Beginnings that only group names and are no values themselves; `loop.parent…` is one too."""

WORDS = {"None": "null", "nil": "null", "undefined": "null", "NULL": "null", "True": "true", "False": "false"}


class Unavailable(NamedTuple):
    """A root that exists in the language, but not at this place; `reason` is the sentence for the reader."""

    reason: str


class Resolved(NamedTuple):
    """A reference that names something. `schema` None: of unknown type, which fits everything.

    `optional`: declared so that it may be absent (so `null` compares with it); `present`: sure to be there at this
    place, by its declaration or because it is proven; `secret`: some part of the path is declared secret.
    """

    schema: Schema | None
    present: bool
    optional: bool
    secret: bool


class Scope(NamedTuple):
    """`roots`: by root the schema of an object with its fields as properties (for `item` the element's, for `items` an
    array of objects), None for a root of unknown type, or Unavailable; a root that is left out is unavailable.

    `present`: texts of references proven present, as `state.note` or `state.a.b` (their beginnings are proven too).
    """

    roots: dict[str, Schema | Unavailable | None]
    present: frozenset[str] = frozenset()

    def resolve(self, reference: Reference, proven: frozenset[Path] = frozenset()) -> Resolved | ExprFault:
        """What the reference names, or reference.unknown_root, reference.unavailable or reference.unknown_field.

        `proven`: paths that guards around the reference prove present, closed under beginnings.
        """
        name = str(reference.path[0])
        root = self.roots.get(name, _NOWHERE)
        if isinstance(root, Unavailable):
            return _no_root(reference, name, root if name in ROOTS else None)
        return _Walk(self, reference, proven).result(root)

    def proves(self, path: Path, proven: frozenset[Path]) -> bool:
        """Whether the path is proven present by a guard or by the place."""
        if path in proven:
            return True
        if not self.present:
            return False
        text = path_text(path)
        return text in self.present or any(known.startswith((text + ".", text + "[")) for known in self.present)


_NOWHERE = Unavailable("it cannot be read here")


def _no_root(reference: Reference, name: str, known: Unavailable | None) -> ExprFault:
    if known is not None:
        return _fault("unavailable", f"{name} is not available here", reference, known.reason)
    hint = "a node id is never a root: keep the value in state (state.…), or hand it on in the edge's bindings"
    if name in WORDS:
        hint = f"write {WORDS[name]}"
    elif close := nearest(name, ROOTS):
        hint = f"did you mean {close}? {hint[0].upper()}{hint[1:]}"
    return _fault("unknown_root", f"{name} is no root of a reference", reference, hint)


def _fault(kind: str, message: str, reference: Reference, hint: str) -> ExprFault:
    return ExprFault("reference." + kind, message, reference.start, reference.end, hint)


class _Walk:
    """One reference on its way through the schemas."""

    def __init__(self, scope: Scope, reference: Reference, proven: frozenset[Path]) -> None:
        self.scope = scope
        self.reference = reference
        self.path = reference.path
        self.proven = proven
        self.present = True
        self.optional = False
        self.secret = False

    def result(self, schema: Schema | None) -> Resolved | ExprFault:
        if schema is not None:
            self.secret = schema.secret
            self.passed(schema.guaranteed or self.path[0] != "item", 0)
        for place in range(1, len(self.path)):
            if schema is None or not is_known(schema):
                return Resolved(None, True, True, self.secret)
            step = self.step(schema, place)
            if isinstance(step, ExprFault):
                return step
            schema = step
        if schema is not None and not is_known(schema):
            schema = None
        if schema is None:
            return Resolved(None, True, True, self.secret)
        if self.is_group():
            return self.unfinished(schema)
        return Resolved(schema, self.present, self.optional, self.secret)

    def step(self, schema: Schema, place: int) -> Schema | ExprFault | None:
        segment = self.path[place]
        if isinstance(segment, int):
            return self.element(schema, place)
        if place == 1 and self.path[0] == "items" and schema.type == "array":
            return self.column(schema, segment)
        properties = schema.properties
        if schema.type != "object" or properties is None:
            return self.no_fields(schema, place)
        if segment not in properties:
            return self.no_field(properties, place)
        found: Schema | None = properties[segment]
        self.passed(found is None or found.guaranteed, place)
        self.secret = self.secret or (found is not None and found.secret)
        return found

    def element(self, schema: Schema, place: int) -> Schema | ExprFault:
        if schema.type != "array":
            before = path_text(self.path[:place])
            message = f"{before} is {article(describe(schema))}, which has no elements"
            return _fault("unknown_field", message, self.reference, "only arrays take [n]")
        self.passed(False, place)
        found = schema.items
        if found is None:
            return Schema(type="any")
        self.secret = self.secret or found.secret
        return found

    def column(self, schema: Schema, name: str) -> Schema | ExprFault | None:
        """`items.f`: the array of the field f of every arrival."""
        properties = schema.items.properties if schema.items is not None else None
        if properties is None or name not in properties:
            return self.no_field(properties or {}, 1)
        found: Schema | None = properties[name]
        self.passed(found is None or found.guaranteed, 1)
        if found is None or not is_known(found):
            return None
        self.secret = self.secret or found.secret
        return Schema(type="array", items=found, required=True)

    def passed(self, guaranteed: bool, place: int) -> None:
        if guaranteed:
            return
        self.optional = True
        if self.present and not self.scope.proves(self.path[: place + 1], self.proven):
            self.present = False

    def is_group(self) -> bool:
        if self.path[0] == "loop":
            return all(segment == "parent" for segment in self.path[1:])
        return len(self.path) <= 2 and path_text(self.path) in _GROUPS

    def unfinished(self, schema: Schema) -> ExprFault:
        whole = path_text(self.path)
        return _fault(
            "unknown_field", f"{whole} is no value of its own", self.reference, _names(schema.properties or {}, whole)
        )

    def no_fields(self, schema: Schema, place: int) -> ExprFault:
        before = path_text(self.path[:place])
        if schema.type in ("any", "object"):
            message = f"{before} declares no fields ({describe(schema)})"
            hint = "declare its `properties` to read inside it"
        else:
            message = f"{before} is {article(describe(schema))}, which has no fields"
            hint = "array elements are written [0]" if schema.type == "array" else ""
            if self.path[place] in ("length", "size", "count") and schema.type in ("array", "string"):
                hint = f"write length({before})"
        return _fault("unknown_field", message, self.reference, hint)

    def no_field(self, properties: Fields, place: int) -> ExprFault:
        before, name = path_text(self.path[:place]), str(self.path[place])
        if self.path[0] == "loop" and name == "parent":
            message = f"there is no loop around {before.replace('.parent', '')}'s"
            return _fault("unavailable", message, self.reference, "loop.parent reads the loop around the innermost one")
        close = nearest(name, properties)
        hint = f"did you mean {before}.{close}?" if close else _names(properties, before)
        return _fault("unknown_field", f"{before} has no field {name}", self.reference, hint)


def _names(properties: Fields, before: str) -> str:
    if not properties:
        return f"{before} declares no fields here"
    shown = ", ".join(islice(properties, 12)) + (", …" if len(properties) > 12 else "")
    return f"its fields are {shown}"


def is_known(schema: Schema) -> bool:
    """Whether the schema says a type; one whose declaration was faulty fits everything."""
    return schema.type in _KNOWN


_KNOWN = frozenset(TYPES)


def article(described: str) -> str:
    """ "an array of string", "a string"."""
    return ("an " if described[:1] in "aeiou" else "a ") + described


# -- the fixed roots ------------------------------------------------------------------------------------------------


def record(fields: Fields) -> Schema:
    """The schema of a root: an object that is there, with these fields."""
    return Schema(type="object", required=True, properties=fields)


def plan_root(plan_input: Fields) -> Schema:
    """`plan.input.*`, `plan.name`, `plan.version`, `plan.run.id`, `plan.run.startedAt`."""
    text = Schema(type="string", required=True)
    run = record({"id": text, "startedAt": Schema(type="datetime", required=True)})
    return record({"input": record(plan_input), "name": text, "version": text, "run": run})


def error_root() -> Schema:
    """`error.code`, `error.message`."""
    text = Schema(type="string", required=True)
    return record({"code": text, "message": text})


def loop_root(depth: int) -> Schema:
    """`loop.*` inside `depth` (≥ 1) nested loops, with `loop.parent.*` for those around the innermost."""
    number = Schema(type="integer", required=True)
    fields: Fields = {"index": number, "iteration": number, "maxIterations": number}
    if depth > 1:
        fields = {**fields, "parent": loop_root(depth - 1)}
    return record(fields)
