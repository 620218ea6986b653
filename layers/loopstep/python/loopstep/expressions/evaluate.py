"""Evaluate compiled trees (tree.py) as closures. Import-light: this runs in every node function.

Absent is None throughout, since null and absent are the same for everything a reference can name (LANGUAGE §3). Where a
checked expression has its guards, no operator meets an absent value; if one does, comparisons and functions say false
and numbers stay absent, exactly as the JSONata of to_jsonata.py does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from loopstep.expressions.functions import FUNCTIONS, same

ABSENT: Final = None
"""What an absent value evaluates to."""

LOST: Final = "lost"
"""The root under which a caller may lay a list: it gets the NoValue of every `orAbsent` conversion that failed."""

SAFE = 2**53 - 1
Data = dict[str, Any]
Closure = Callable[[Data], Any]


class RangeFault(Exception):
    """A result that is not finite or beyond ±(2^53−1) (LANGUAGE §6)."""

    code = "expr.range"


class NoValue(Exception):
    """A conversion that yields no value (LANGUAGE §4); `reason` as in CANVAS §4, `said` what was tried, for people."""

    code = "binding.no_value"

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(said or reason)
        self.reason, self.said = reason, said or reason


def evaluate(tree: Any, data: Data) -> Any:
    """The tree's value, ABSENT where it has none. Raises RangeFault and NoValue, nothing else for checked trees."""
    return compile_tree(tree)(data)


def compile_tree(tree: Any) -> Closure:
    """The tree as a function of the data.

    The data holds the roots by name, "path" (list of int, for ["path", i, d]) and "seen" (a list, or a function of the
    index, for ["seen", i]); what a tree does not read may be missing.
    """
    if not isinstance(tree, list):
        return lambda data: tree
    return _COMPILERS[tree[0]](tree)


# -- sources ---------------------------------------------------------------------------------------------------------


def _reference(tree: list[Any]) -> Closure:
    root, rest = tree[1], tree[2:]
    if root == "items" and rest and isinstance(rest[0], str):
        return _column(rest[0], _walk(rest[1:]))
    if len(rest) == 1 and isinstance(rest[0], str):
        name = rest[0]

        def field(data: Data) -> Any:
            record = data.get(root)
            return record.get(name) if isinstance(record, dict) else None

        return field
    walk = _walk(rest)
    return lambda data: walk(data.get(root))


def _walk(segments: list[Any]) -> Callable[[Any], Any]:
    def walk(value: Any) -> Any:
        for segment in segments:
            if isinstance(segment, str):
                if not isinstance(value, dict):
                    return None
                value = value.get(segment)
            else:
                if not isinstance(value, list) or segment >= len(value):
                    return None
                value = value[segment]
        return value

    return walk


def _column(name: str, walk: Callable[[Any], Any]) -> Closure:
    """`items.f`: the field of every arrival, in order."""

    def column(data: Data) -> Any:
        arrivals = data.get("items")
        if not isinstance(arrivals, list):
            return None
        values = [arrival.get(name) for arrival in arrivals if isinstance(arrival, dict)]
        return walk([value for value in values if value is not None])

    return column


def _literal(tree: list[Any]) -> Closure:
    value = tree[1]
    return lambda data: value


def _list(tree: list[Any]) -> Closure:
    items = [compile_tree(item) for item in tree[1:]]
    return lambda data: [item(data) for item in items]


def _path(tree: list[Any]) -> Closure:
    index, offset = tree[1], tree[2]

    def counter(data: Data) -> Any:
        value: int = data["path"][index]
        return value + offset

    return counter


def _seen(tree: list[Any]) -> Closure:
    index = tree[1]

    def seen(data: Data) -> Any:
        operands = data["seen"]
        return operands(index) if callable(operands) else operands[index]

    return seen


def _convert(tree: list[Any]) -> Closure:
    from loopstep.convert.registry import convert, tried  # only plans that convert pay for the registry

    source, options = compile_tree(tree[1]), tree[2]
    kind, to = options.get("kind", "value"), options["to"]
    mode, top_k, or_absent = options.get("mode"), options.get("topK"), options.get("orAbsent", False)
    name = ".".join(map(str, tree[1][1:])) if isinstance(tree[1], list) and tree[1][0] == "ref" else "the value"

    def converted(data: Data) -> Any:
        value = source(data)
        if value is None:
            return None
        result, reason = convert(value, kind, to, mode, top_k)
        if reason is None:
            return result
        fault = NoValue(reason, f"{name} is {tried(value, kind, to)}: {reason}")
        if not or_absent:
            raise fault
        lost = data.get(LOST)
        if lost is not None:
            lost.append(fault)
        return ABSENT

    return converted


def _default(tree: list[Any]) -> Closure:
    source, default = compile_tree(tree[1]), compile_tree(tree[2])

    def defaulted(data: Data) -> Any:
        value = source(data)
        return default(data) if value is None else value

    return defaulted


# -- logic -----------------------------------------------------------------------------------------------------------


def _and(tree: list[Any]) -> Closure:
    operands = [compile_tree(item) for item in tree[1:]]
    if len(operands) == 2:
        left, right = operands
        return lambda data: bool(left(data) and right(data))

    def every(data: Data) -> bool:
        return all(operand(data) for operand in operands)

    return every


def _or(tree: list[Any]) -> Closure:
    operands = [compile_tree(item) for item in tree[1:]]
    if len(operands) == 2:
        left, right = operands
        return lambda data: bool(left(data) or right(data))

    def some(data: Data) -> bool:
        return any(operand(data) for operand in operands)

    return some


def _not(tree: list[Any]) -> Closure:
    operand = compile_tree(tree[1])
    return lambda data: not operand(data)


# -- comparisons -----------------------------------------------------------------------------------------------------


def _equal(tree: list[Any]) -> Closure:
    left, right = compile_tree(tree[1]), compile_tree(tree[2])
    if tree[1] is None or tree[2] is None:
        other = right if tree[1] is None else left
        return lambda data: other(data) is None
    if isinstance(tree[2], str):
        text = tree[2]
        return lambda data: bool(left(data) == text)
    return lambda data: same(left(data), right(data))


def _unequal(tree: list[Any]) -> Closure:
    equal = _equal(tree)
    return lambda data: not equal(data)


def _less(tree: list[Any]) -> Closure:
    left, right = compile_tree(tree[1]), compile_tree(tree[2])

    def less(data: Data) -> bool:
        one, other = left(data), right(data)
        return one is not None and other is not None and bool(one < other)

    return less


def _at_most(tree: list[Any]) -> Closure:
    left, right = compile_tree(tree[1]), compile_tree(tree[2])

    def at_most(data: Data) -> bool:
        one, other = left(data), right(data)
        return one is not None and other is not None and bool(one <= other)

    return at_most


def _greater(tree: list[Any]) -> Closure:
    left, right = compile_tree(tree[1]), compile_tree(tree[2])

    def greater(data: Data) -> bool:
        one, other = left(data), right(data)
        return one is not None and other is not None and bool(one > other)

    return greater


def _at_least(tree: list[Any]) -> Closure:
    left, right = compile_tree(tree[1]), compile_tree(tree[2])

    def at_least(data: Data) -> bool:
        one, other = left(data), right(data)
        return one is not None and other is not None and bool(one >= other)

    return at_least


def _in(tree: list[Any]) -> Closure:
    item, array = compile_tree(tree[1]), compile_tree(tree[2])

    def member(data: Data) -> bool:
        value, values = item(data), array(data)
        if value is None or values is None:
            return False
        return any(same(each, value) for each in values)

    return member


# -- numbers and functions -------------------------------------------------------------------------------------------


def in_range(value: Any) -> Any:
    """The number as the language has it: no float without fraction. Raises RangeFault for what no number may be."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if -SAFE <= value <= SAFE:  # false for nan and the infinities
        return value
    raise RangeFault


def _arithmetic(step: Callable[[Any, Any], Any]) -> Callable[[list[Any]], Closure]:
    def compile_(tree: list[Any]) -> Closure:
        first, *others = [compile_tree(item) for item in tree[1:]]

        def fold(data: Data) -> Any:
            total = first(data)
            for other in others:
                value = other(data)
                if total is None or value is None:
                    return None
                total = in_range(step(total, value))
            return total

        return fold

    return compile_


def _negative(tree: list[Any]) -> Closure:
    operand = compile_tree(tree[1])

    def negative(data: Data) -> Any:
        value = operand(data)
        return None if value is None else in_range(-value)

    return negative


def _call(tree: list[Any]) -> Closure:
    function = FUNCTIONS[tree[1]]
    apply, nothing = function.evaluate, None if function.result == "integer" else False
    arguments = [compile_tree(item) for item in tree[2:]]
    if len(arguments) == 1:
        only = arguments[0]

        def one(data: Data) -> Any:
            value = only(data)
            return nothing if value is None else apply(value)

        return one
    left, right = arguments

    def two(data: Data) -> Any:
        value, other = left(data), right(data)
        return nothing if value is None or other is None else apply(value, other)

    return two


_COMPILERS: dict[str, Callable[[list[Any]], Closure]] = {
    "ref": _reference,
    "lit": _literal,
    "list": _list,
    "path": _path,
    "seen": _seen,
    "convert": _convert,
    "default": _default,
    "&&": _and,
    "||": _or,
    "!": _not,
    "==": _equal,
    "!=": _unequal,
    "<": _less,
    "<=": _at_most,
    ">": _greater,
    ">=": _at_least,
    "in": _in,
    "+": _arithmetic(lambda left, right: left + right),
    "-": _arithmetic(lambda left, right: left - right),
    "*": _arithmetic(lambda left, right: left * right),
    "neg": _negative,
    "call": _call,
}
