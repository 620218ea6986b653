"""Every function, declared once: what it takes, what it gives, how it evaluates.

The JSONata column is empty by design: a function reads a text, an array or an object, so the node computes it and the
Choice sees the boolean or the number (ARCHITECTURE §2). A function over numbers would add its JSONata name here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Function(NamedTuple):
    """`signatures`: alternatives of argument kinds: "string", "array", "object" or "element" (of the array before it).

    `evaluate` takes present values of these kinds; `result` is a type name; `jsonata` a function name or "".
    """

    name: str
    usage: str
    signatures: tuple[tuple[str, ...], ...]
    result: str
    evaluate: Callable[..., Any]
    jsonata: str = ""

    @property
    def arity(self) -> int:
        return len(self.signatures[0])


def same(left: Any, right: Any) -> bool:
    """Equality of two scalars of the language: a boolean is no number, 5 and 5.0 are one."""
    return bool(left == right) and (left is True or left is False) == (right is True or right is False)


def contains(whole: Any, part: Any) -> bool:
    """A text in a text, or a scalar among the elements of an array."""
    if isinstance(whole, str) or isinstance(part, str):
        return part in whole
    return any(same(item, part) for item in whole)


def starts_with(text: str, start: str) -> bool:
    return text.startswith(start)


def ends_with(text: str, end: str) -> bool:
    return text.endswith(end)


FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function(
            "contains", "contains(text or array, x)", (("string", "string"), ("array", "element")), "boolean", contains
        ),
        Function("startsWith", "startsWith(text, start)", (("string", "string"),), "boolean", starts_with),
        Function("endsWith", "endsWith(text, end)", (("string", "string"),), "boolean", ends_with),
        Function("length", "length(text, array or object)", (("string",), ("array",), ("object",)), "integer", len),
    )
}
