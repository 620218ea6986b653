"""What is expected against what came: every difference with its place.

A map with one `$` name is a demand instead of a value: `$any: true`, `$contains: part`, `$matches: regular expression`,
`$includes: {some: of the fields}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from loopstep.types.text import json_equal

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
DEMANDS = ("$any", "$contains", "$matches", "$includes")


class Difference(NamedTuple):
    """`path` is a JSON pointer into what came; either side may be MISSING."""

    path: str
    expected: Any
    actual: Any


def differences(expected: Any, actual: Any, path: str = "", partial: bool = False) -> Iterator[Difference]:
    """All of them, in the order of what is expected. `partial`: fields that nobody speaks of do not count."""
    demand = demand_of(expected)
    if demand:
        if not _meets(demand, expected[demand], actual):
            yield Difference(path, expected, actual)
    elif isinstance(expected, dict) and isinstance(actual, dict):
        for name, value in expected.items():
            yield from differences(value, actual.get(name, MISSING), f"{path}/{_step(name)}", partial)
        for name in actual.keys() - expected.keys() if not partial else ():
            yield Difference(f"{path}/{_step(name)}", MISSING, actual[name])
    elif isinstance(expected, list) and isinstance(actual, list):
        for index in range(max(len(expected), len(actual))):
            sides = [side[index] if index < len(side) else MISSING for side in (expected, actual)]
            if sides[0] is MISSING:
                yield Difference(f"{path}/{index}", *sides)
            else:
                yield from differences(sides[0], sides[1], f"{path}/{index}", partial)
    elif actual is MISSING or not json_equal(expected, actual):
        yield Difference(path, expected, actual)


def demand_of(expected: Any) -> str:
    """The name of the demand that a value is, "" for a value."""
    if isinstance(expected, dict) and len(expected) == 1:
        name = str(next(iter(expected)))
        return name if name in DEMANDS else ""
    return ""


def unmatched(expected: list[Any], actual: list[Any]) -> tuple[list[Any], list[Any]]:
    """What is expected and did not come, and what came and is not expected, in whatever order both are.

    As many as can be are matched: who fits several gives way to who fits one alone (Kuhn's algorithm).
    """
    owners: dict[int, int] = {}  # by place among what came
    fits = [[not any(differences(each, other)) for other in actual] for each in expected]

    def place(number: int, tried: set[int]) -> bool:
        for index in range(len(actual)):
            if fits[number][index] and index not in tried:
                tried.add(index)
                if index not in owners or place(owners[index], tried):
                    owners[index] = number
                    return True
        return False

    missing = [each for number, each in enumerate(expected) if not place(number, set())]
    return missing, [other for index, other in enumerate(actual) if index not in owners]


def shown(value: Any) -> str:
    """A value as a report says it."""
    return "(nothing)" if value is MISSING else json.dumps(value, ensure_ascii=False)


def _meets(demand: str, wanted: Any, actual: Any) -> bool:
    tests: dict[str, Callable[[], bool]] = {
        "$any": lambda: (actual is not MISSING) is bool(wanted),
        "$contains": lambda: _contains(actual, wanted),
        "$matches": lambda: isinstance(actual, str) and re.search(wanted, actual) is not None,
        "$includes": lambda: isinstance(actual, dict) and not any(differences(wanted, actual, partial=True)),
    }
    return tests[demand]()


def _contains(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, str):
        return isinstance(wanted, str) and wanted in actual
    return isinstance(actual, list) and any(not any(differences(wanted, each)) for each in actual)


def _step(name: str) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")
