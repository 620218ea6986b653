"""One value against its target (LANGUAGE §3, §4): literals, references, expressions, conversions, defaults.

Also `when`, `while` and templates: everything that has an expression in it is judged here, and its faults reported.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.compiler.model import Convert, Expr, Template, ValueExpr, is_unknown
from loopstep.compiler.parse_schema import judgeable
from loopstep.convert.registry import supported
from loopstep.diagnostics.collector import Reporter
from loopstep.expressions.ast import Faulty, Reference
from loopstep.expressions.check import Typed, check, check_boolean
from loopstep.expressions.faults import WARNING, ExprFault
from loopstep.expressions.scope import Scope
from loopstep.expressions.template import check_template
from loopstep.source.document import Mapping, Scalar, Value
from loopstep.types.assignable import Mismatch, assignable, literal
from loopstep.types.schema import MISSING, Schema, describe
from loopstep.types.text import json_text

MISMATCH, OPTIONAL = "binding.type_mismatch", "binding.optional_source"


class Flow(NamedTuple):
    """One value on its way, for `explain`. `place` is "entry", an edge id, or a path in a node's config.

    `literal` and `default` are MISSING where there is none; `field` is the target's schema, `refs` what is read.
    """

    place: str
    node: str
    target: str
    target_type: str
    source: str
    source_type: str
    conversion: str = ""
    literal: Any = MISSING
    default: Any = MISSING
    field: Schema | None = None
    refs: tuple[Reference, ...] = ()


class Judged(NamedTuple):
    """`schema` None: of unknown type. `present`: whether the value is sure to be there. `refs`: what it reads."""

    schema: Schema | None
    present: bool
    refs: tuple[Reference, ...] = ()


UNKNOWN = Judged(None, True)


class Values:
    """Judges values and reports their faults."""

    def __init__(self, reporter: Reporter) -> None:
        self.reporter = reporter
        self.flows: list[Flow] = []
        self._judged: dict[tuple[int, int], tuple[Schema, Schema, Mismatch | None]] = {}

    def judge(
        self, value: ValueExpr, target: Schema | None, scope: Scope, name: str, needed: bool, kind: str = "value"
    ) -> Judged:
        """A value for the target `name`. `needed`: an absent source is a fault where the target is required.

        `kind` is the conversion kind of the output field that a bare reference names (CANVAS §4).
        """
        if target is not None and is_unknown(target):
            target = None
        if value.form == "value":
            return self._literal(value.literal, target, inner(value.at, "value"), name)
        if value.ast is None or value.text_at is None:
            return UNKNOWN
        typed = check(value.ast, scope)
        self.faults(typed.faults, value.text_at)
        source = self._converted(value.convert, typed, kind)
        if target is not None and source is not None:
            self._fits(value, typed, source, target, name)
        present = self._present(value, typed, target, name, needed)
        return Judged(source, present, typed.refs)

    def condition(self, expr: Expr, scope: Scope) -> Typed | None:
        """A `when` or `while`; None where it could not be read."""
        if expr.ast is None:
            return None
        typed = check_boolean(expr.ast, scope)
        self.faults(typed.faults, expr.at)
        return typed

    def template(self, template: Template, scope: Scope, keep: bool) -> tuple[Reference, ...]:
        """A text with `{{ }}`; gives what it reads."""
        if template.parts is None or len(template.parts) == 0 or template.parts == (template.text,):
            return ()
        typed = check_template(template.parts, scope, keep)
        self.faults(typed.faults, template.at)
        return typed.refs

    def faults(self, faults: tuple[ExprFault, ...], at: Value) -> None:
        """Faults inside a text, each at its token."""
        within = at.parts() if faults and isinstance(at, Scalar) else None
        for fault in faults:
            place = within(fault.start, fault.end) if within else at
            report = self.reporter.warning if fault.code == WARNING else self.reporter.error
            report(fault.code, fault.message, place, fault.hint)

    def check(self, source: Schema, target: Schema, name: str, at: Value) -> None:
        """binding.type_mismatch, which names both types, unless the source is assignable to the target."""
        found = self._assignable(source, target)
        if found is not None and judgeable(source) and judgeable(target):
            message = f"`{name}` takes {describe(target)}, and this is {describe(source)}"
            nested = source.type == target.type and (source.properties or source.items)
            self.reporter.error(
                MISMATCH, f"{message}: {found.reason}" if nested else message, at, _convert_hint(source, target)
            )

    def _assignable(self, source: Schema, target: Schema) -> Mismatch | None:
        """`assignable`, once for two schemas: many edges can carry one large object."""
        key = (id(source), id(target))
        if key not in self._judged:  # which keeps the schemas, so that no other ones get their ids
            self._judged[key] = (source, target, assignable(source, target))
        return self._judged[key][2]

    def absent(self, name: str, source: str, at: Value) -> None:
        """binding.optional_source."""
        message = f"`{name}` is required, and `{source}` may be absent"
        self.reporter.error(OPTIONAL, message, at, "add a `default`, or make the source sure to be there")

    # -- the parts of a value ----------------------------------------------------------------------------------------

    def _literal(self, plain: Any, target: Schema | None, at: Value, name: str) -> Judged:
        if target is None:
            return UNKNOWN
        if not judgeable(target):
            return UNKNOWN
        _, fault = literal(plain, target)
        if fault is not None:
            message = f"`{name}` takes {describe(target)}, and {_short(plain)} is {_kind(plain)}: {fault.message}"
            self.reporter.error(MISMATCH, message, at)
        return Judged(target, True)

    def _converted(self, convert: Convert | None, typed: Typed, kind: str) -> Schema | None:
        """The type of the source behind its conversion."""
        if convert is None or isinstance(typed.ast, Faulty):
            return typed.schema
        if not convert.to:
            return None
        result = Schema(convert.to, required=True)
        if typed.schema is None or convert.judged:
            return result
        from_kind = convert.source_kind or (kind if isinstance(typed.ast, Reference) else "value")
        if not supported(from_kind, convert.to, convert.mode, convert.top_k, typed.schema.type):
            source = describe(typed.schema) + (f" (kind {from_kind})" if from_kind != "value" else "")
            mode = f" with mode {convert.mode}" if convert.mode else ""
            message = f"nothing converts {source} to {convert.to}{mode}"
            self.reporter.error("convert.unsupported", message, convert.at)
        return result

    def _fits(self, value: ValueExpr, typed: Typed, source: Schema, target: Schema, name: str) -> None:
        assert value.text_at is not None
        if value.convert is None and typed.literal is not MISSING:
            self._literal(typed.literal, target, value.text_at, name)
            return
        self.check(source, target, name, value.text_at)

    def _present(self, value: ValueExpr, typed: Typed, target: Schema | None, name: str, needed: bool) -> bool:
        if value.default_at is not None:
            if value.default is not MISSING:
                self._literal(value.default, target, value.default_at, name)
            return True
        lenient = value.convert is not None and value.convert.or_absent
        if typed.present and not lenient:
            return True
        if target is not None and value.text_at is not None:
            if _is_column(value.ast) and not typed.present:
                message = f"`{value.text}` needs the field in every arrival, and it may be absent"
                hint = "bind it on every edge into the join, or require it in the join's input"
                self.reporter.error(OPTIONAL, message, value.text_at, hint)
            elif needed and target.required and target.default is MISSING:
                self.absent(name, f"{value.text}` converted `orAbsent" if typed.present else value.text, value.text_at)
        return False


def _is_column(ast: Any) -> bool:
    """`items.f`: an array of one field of every arrival, which has no gaps (LANGUAGE §5)."""
    return isinstance(ast, Reference) and ast.path[0] == "items" and len(ast.path) == 2 and isinstance(ast.path[1], str)


def inner(value: Value, key: str) -> Value:
    """The value under a key of a mapping; the mapping itself where it has none."""
    return value.entries.get(key, value) if isinstance(value, Mapping) else value


def _kind(plain: Any) -> str:
    """The type of a literal, in the language's words."""
    for kind, word in _KINDS:
        if isinstance(plain, kind):
            return word
    return "nothing"


_KINDS = ((bool, "a boolean"), ((int, float), "a number"), (str, "a string"), (list, "an array"), (dict, "an object"))


def _short(plain: Any) -> str:
    text = json_text(plain)
    return text if len(text) <= 60 else text[:57] + "…"


def _convert_hint(source: Schema, target: Schema) -> str:
    if target.type == "scope" and source.type != "scope":
        return "nothing converts to a scope: declare the source as `type: scope`, or write it down as `{value: …}`"
    if source.type != target.type and supported("value", target.type, source=source.type):
        return f"change the type with `convert: {{to: {target.type}}}`"
    return ""
