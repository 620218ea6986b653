"""Spellings of other languages and what they are here: the hints of expr.syntax (LANGUAGE §6)."""

from __future__ import annotations

from loopstep.diagnostics.suggest import nearest
from loopstep.expressions.functions import FUNCTIONS

OPERATORS = {
    "=": "==", "===": "==", "!==": "!=", "<>": "!=", "=<": "<=", "=>": ">=", "&": "&&", "|": "||",
    "and": "&&", "or": "||", "is": "==", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
"""An operator as written elsewhere → as written here."""

NO_OPERATOR = {
    "/": "there is no division; multiply by the reciprocal, as in x * 0.5",
    "//": "there is no division",
    "%": "there is no remainder",
    "^": "there is no power operator",
    "**": "there is no power operator; write x * x",
    "mod": "there is no remainder",
    "div": "there is no division",
    "??": "write `default` beside a `ref`, or guard it: x != null && …",
    "<=>": "compare with == != < <= > >=",
    "like": "use contains(text, part), startsWith or endsWith",
    "matches": "use contains(text, part), startsWith or endsWith",
    "contains": "write contains(text, part)",
    "startsWith": "write startsWith(text, start)",
    "endsWith": "write endsWith(text, end)",
}
"""Infix operators that have no counterpart here → what to do instead."""

_CALLS = {
    "not": "write ! before the expression",
    "and": "write && between the operands",
    "or": "write || between the operands",
    "if": "there is no conditional; use edges with `when`, the last one without",
    "exists": "write x != null",
    "defined": "write x != null",
    "empty": "write length(x) == 0",
    "len": "write length(x)",
    "size": "write length(x)",
    "count": "write length(x)",
    "includes": "write contains(x, part)",
    "has": "write contains(x, part)",
    "string": "use `convert` beside the expression",
    "number": "use `convert` beside the expression",
    "int": "use `convert` beside the expression",
    "str": "use `convert` beside the expression",
}

UNEXPECTED = {
    "?": "there is no conditional operator; use edges with `when`, or `default` beside a `ref`",
    ":": "there is no conditional operator and no map here",
    "?.": "write . and guard it: x != null && x.y == 1",
    "{{": "no braces here: write the expression itself ({{ }} belongs into texts)",
    "}}": "no braces here: write the expression itself ({{ }} belongs into texts)",
    "{": "there are no object literals; use `value` for them",
    "}": "there are no braces in an expression",
    "$": "references start with a root: input.x, state.x, plan.input.x",
    "@": "references start with a root: input.x, state.x, plan.input.x",
    "`": "texts stand in \" or '",
    ";": "an expression is one value",
    "#": "there are no comments in an expression",
    "~": "negate with !",
    "\\": "a backslash only stands inside a text",
    "+": "write the number without a sign",
}
"""Marks that start nothing here → hint."""


def unknown_function(name: str) -> str:
    """The hint for a call of what is no function."""
    known = _CALLS.get(name.lower())
    if known:
        return known
    close = nearest(name, list(FUNCTIONS))
    return f"did you mean {close}?" if close else "the functions are " + ", ".join(FUNCTIONS)
