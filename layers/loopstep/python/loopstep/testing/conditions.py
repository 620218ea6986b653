"""DynamoDB's expressions, as far as the product writes them: conditions as functions of an item, updates of one."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

Item = dict[str, Any]
Test = Callable[[Item, Item, Item], Any]  # of the item, the expression's names, its values

_TOKEN = re.compile(r"\s*([#:]?[A-Za-z_][A-Za-z0-9_]*|\d+|<>|<=|>=|[=<>(),\[\]])")
_COMPARE = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_FUNCTIONS = ("attribute_exists", "attribute_not_exists", "begins_with")


class NotSupported(Exception):
    """An expression beyond what is written here; the argument is the expression."""


def holds(expression: str, item: Item, names: Item, values: Item) -> bool:
    """Whether a condition holds for an item, `{}` for none."""
    return bool(condition(expression)(item, names, values))


@cache
def condition(expression: str) -> Test:
    """A condition as a function. Raises NotSupported."""
    parser = _Parser(expression)
    test = parser.either()
    if parser.at != len(parser.tokens):
        raise NotSupported(expression)
    return test


def updated(item: Item, action: Item) -> Item:
    """The item after an UpdateExpression."""
    names, values, new = (
        action.get("ExpressionAttributeNames", {}),
        action.get("ExpressionAttributeValues", {}),
        deepcopy(item),
    )
    sets, _, removes = action["UpdateExpression"].partition("REMOVE ")
    for clause in filter(None, map(str.strip, re.split(r",(?![^(]*\))", sets.strip().removeprefix("SET ")))):
        target, _, source = clause.partition(" = ")
        value = deepcopy(_Parser(source).operand()(item, names, values))
        name, _, index = target.rstrip("]").partition("[")
        if index:
            new[names.get(name, name)]["L"][int(index)] = value
        else:
            new[names.get(name, name)] = value
    for name in filter(None, map(str.strip, removes.split(","))):
        new.pop(names.get(name, name), None)
    return new


class _Parser:
    def __init__(self, expression: str) -> None:
        self.tokens = _TOKEN.findall(expression)
        self.expression = expression
        if "".join(self.tokens) != expression.replace(" ", ""):
            raise NotSupported(expression)
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise NotSupported(self.expression)
        self.at += 1
        return token

    def either(self) -> Test:
        tests = [self.both()]
        while self.peek() == "OR":
            self.take()
            tests.append(self.both())
        return lambda *of: any(test(*of) for test in tests)

    def both(self) -> Test:
        tests = [self.one()]
        while self.peek() == "AND":
            self.take()
            tests.append(self.one())
        return lambda *of: all(test(*of) for test in tests)

    def one(self) -> Test:
        if self.peek() == "NOT":
            self.take()
            denied = self.one()
            return lambda *of: not denied(*of)
        if self.peek() == "(":
            self.take()
            inner = self.either()
            self.take(")")
            return inner
        if self.peek() in _FUNCTIONS:
            return self.function(self.take())
        left, sign = self.operand(), self.take()
        if sign == "IN":
            choices = self.arguments()
            return lambda *of: left(*of) in [choice(*of) for choice in choices]
        if sign == "BETWEEN":
            low, _, high = self.operand(), self.take("AND"), self.operand()
            return lambda *of: (
                _comparable(left(*of), low(*of), operator.ge) and _comparable(left(*of), high(*of), operator.le)
            )
        compare, right = _COMPARE[sign], self.operand()
        return lambda *of: _comparable(left(*of), right(*of), compare)

    def function(self, name: str) -> Test:
        first, *rest = self.arguments()
        if name == "begins_with":
            return lambda *of: first(*of)["S"].startswith(rest[0](*of)["S"])
        return lambda *of: (first(*of) is not None) is (name == "attribute_exists")

    def arguments(self) -> list[Test]:
        self.take("(")
        found = [self.operand()]
        while self.take() == ",":
            found.append(self.operand())
        return found

    def operand(self) -> Test:
        word = self.take()
        if word == "size":
            (inner,) = self.arguments()
            return lambda *of: {"N": str(len(next(iter(inner(*of).values()))))} if inner(*of) else None
        if word == "list_append":
            one, other = self.arguments()
            return lambda *of: {"L": one(*of)["L"] + other(*of)["L"]}
        if word == "if_not_exists":
            one, other = self.arguments()
            return lambda *of: other(*of) if one(*of) is None else one(*of)
        if word.startswith(":"):
            return lambda item, names, values: values[word]
        return lambda item, names, values: item.get(names.get(word, word))


def _comparable(left: Any, right: Any, compare: Callable[[Any, Any], bool]) -> bool:
    if left is None or right is None:
        return compare is operator.ne
    ((kind, one),), ((other_kind, other),) = left.items(), right.items()
    if kind != other_kind:
        return compare is operator.ne
    return compare(float(one), float(other)) if kind == "N" else compare(one, other)
