"""ValueExprs, expressions and templates (LANGUAGE §4, §6): value.exclusive, convert.unsupported, *.syntax."""

from __future__ import annotations

from collections.abc import Iterable

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.model import Convert, Expr, Template, ValueExpr
from loopstep.compiler.parse_convert import convert
from loopstep.compiler.parse_literal import literal
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.expressions import parse as expressions
from loopstep.expressions.faults import ExprFault
from loopstep.expressions.template import parse_template
from loopstep.source.document import Mapping, Scalar, Value
from loopstep.types.schema import MISSING

EXCLUSIVE = "value.exclusive"
FORMS = ("value", "ref", "expr")
_ALLOWED = MAPPINGS["value"].names


def values(value: Value, what: str, report: Reporter) -> dict[str, ValueExpr] | None:
    """A map of ValueExprs, as `bindings`; None where it is none."""
    mapping = read.mapping(value, what, report)
    if mapping is None:
        return None
    return {name: value_expr(entry, f"`{name}`", report) for name, entry in mapping.entries.items()}


def value_expr(value: Value, what: str, report: Reporter) -> ValueExpr:
    """One ValueExpr; unknown (form "expr" without tree) where it is not exactly one of value, ref and expr."""
    if not isinstance(value, Mapping):
        report.error(EXCLUSIVE, f"{what} has to be a map with one of value, ref, expr", value, _hint_for(value))
        return unknown(value)
    entries = value.entries
    standing = [form for form in FORMS if form in entries]
    if len(standing) != 1:
        report.error(EXCLUSIVE, _not_one(what, standing), value, _hint_for(value))
        return unknown(value)
    form = standing[0]
    inner = entries[form]
    found = _literal(value, inner, what, report) if form == "value" else _computed(value, form, inner, report)
    return found if len(entries) == 1 else _modified(found, form, value, what, report)


def unknown(at: Value) -> ValueExpr:
    """Stands for a value that could not be read."""
    return ValueExpr(at, "expr")


def _not_one(what: str, standing: list[str]) -> str:
    if standing:
        return f"{what} has {' and '.join(standing)}, it takes exactly one of them"
    return f"{what} has none of value, ref, expr"


def _hint_for(value: Value) -> str:
    if isinstance(value, Mapping):
        for name in value.entries:
            near = nearest(name, FORMS)
            if near and near not in value.entries:
                return f"did you mean `{near}` instead of `{name}`?"
        return "keep one of value, ref, expr" if value.entries else "as `{value: …}`, `{ref: …}` or `{expr: …}`"
    plain = value.value if isinstance(value, Scalar) else None
    if isinstance(plain, str) and expressions.parse_ref(plain)[0] is not None and "." in plain:
        return f"write `{{ref: {plain}}}`"
    return "write `{value: …}` for a literal, `{ref: …}` for a reference, `{expr: …}` for an expression"


def _literal(value: Value, inner: Value, what: str, report: Reporter) -> ValueExpr:
    plain, sound = literal(inner, report)
    if not sound:
        return unknown(value)
    if plain is None:
        report.error(EXCLUSIVE, f"{what} has no value: `null` is the same as leaving it out", value, "leave it out")
        return unknown(value)
    return ValueExpr(value, "value", literal=plain)


def _computed(value: Value, form: str, inner: Value, report: Reporter) -> ValueExpr:
    found = read.text(inner, f"`{form}`", report)
    if found is None:
        return ValueExpr(value, form)
    assert isinstance(inner, Scalar), "a text was read from it"
    ast, faults = expressions.parse_ref(found) if form == "ref" else expressions.parse(found)
    if faults:
        report_faults(faults, inner, report)
    return ValueExpr(value, form, ast=ast, text=found, text_at=inner)


def _modified(found: ValueExpr, form: str, value: Mapping, what: str, report: Reporter) -> ValueExpr:
    """The same with `convert` and `default`, each where it may stand; a misspelt one stands as unreadable."""
    entries = value.entries
    meant = read.keys(value, _ALLOWED, (), what, report)
    conversion = Convert("", None, None, None, value, judged=True) if "convert" in meant else None
    default: object = MISSING
    default_at: Value | None = value if "default" in meant else None
    if "convert" in entries:
        if form == "value":
            _beside("convert", "ref or expr", form, entries["convert"], report)
        else:
            conversion = convert(entries["convert"], report)
    if "default" in entries:
        if form == "ref":
            default, default_at = _default(entries["default"], report), entries["default"]
        else:
            _beside("default", "ref", form, entries["default"], report)
    return ValueExpr(
        found.at, found.form, found.literal, found.ast, found.text, found.text_at, conversion, default, default_at
    )


def _beside(modifier: str, wanted: str, form: str, at: Value, report: Reporter) -> None:
    report.error(read.INVALID, f"`{modifier}` stands with {wanted}, not with {form}", at)


def _default(value: Value, report: Reporter) -> object:
    plain, sound = literal(value, report)
    if sound and plain is None:
        report.error(read.INVALID, "a default has to be a value, `null` is none", value, "leave it out")
    return MISSING if not sound or plain is None else plain


def expression(value: Value, what: str, report: Reporter) -> Expr:
    """A `when` or `while`; without tree where it could not be read."""
    found = read.text(value, what, report)
    if found is None:
        return Expr("", None, value)
    ast, faults = expressions.parse(found)
    if faults:
        report_faults(faults, value, report)
    return Expr(found, ast, value)


def template(value: Value, what: str, report: Reporter) -> Template:
    """A text with `{{ }}`; without parts where it is no text."""
    found = read.text(value, what, report)
    if found is None:
        return Template("", None, value)
    if "{{" not in found:
        return Template(found, (found,) if found else (), value)
    parts, faults = parse_template(found)
    if faults:
        report_faults(faults, value, report)
    return Template(found, parts, value)


def report_faults(faults: Iterable[ExprFault], at: Value, report: Reporter) -> None:
    """Faults inside a text, each at its token where the text stands on one line (§10)."""
    assert isinstance(at, Scalar), "only a text has faults inside"
    within = at.parts()
    for fault in faults:
        report.error(fault.code, fault.message, within(fault.start, fault.end), fault.hint)
