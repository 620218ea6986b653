"""How each guided target reads bytes, what it begins with, and how an input is spoiled so that it stays what it is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from tests.fuzz import judges, seeds

Read = Callable[[bytes], None]

WORDS = ("string", "integer", "object", "completed", "in", "say", "done", "PT1S", "plan.input.x", "state.n == 1")
HEAD = 8  # bytes of a request that say whom, what and how it asks; its body follows


def text(data: bytes) -> str:
    """Any bytes as a text; those that are no UTF-8 become halves of surrogate pairs."""
    return data.decode("utf-8", "surrogateescape")


def request(data: bytes) -> tuple[tuple[str, str], list[str], str | None, dict[str, str], dict[str, str]]:
    """Any bytes as a request of the API."""
    from tests.fuzz import asking

    head, rest = data[:HEAD].ljust(HEAD, b"\0"), text(data[HEAD:])
    ids = [asking.IDS[each] if each < len(asking.IDS) else rest[: each % 9] for each in head[1:4]]
    query = {_pick(asking.QUERIES, head[4]): _value(asking.QUERY_VALUES, head[5], rest)} if head[4] < 128 else {}
    headers = {_pick(asking.HEADERS, head[6]): _value(asking.HEADER_VALUES, head[7], rest)} if head[6] < 64 else {}
    return asking.ROUTES[head[0] % len(asking.ROUTES)], ids, rest or None, query, headers


def _pick(values: tuple[str, ...], number: int) -> str:
    return values[number % len(values)]


def _value(values: tuple[str, ...], number: int, rest: str) -> str:
    return _pick(values, number) if number < 200 else rest[: number - 195]


def _api() -> Read:
    from tests.fuzz import asking

    asking.credentials()
    asked = asking.Asked()
    return lambda data: asked(*request(data))


def _texts(judge: Callable[[str], None]) -> Callable[[], Read]:
    return lambda: lambda data: judge(text(data))


def _both(judge: Callable[[bytes], None]) -> Callable[[], Read]:
    return lambda: judge


TARGETS: dict[str, Callable[[], Read]] = {
    "loader": _both(judges.loader),
    "plan": _texts(judges.plan),
    "canvas": _texts(judges.canvas),
    "expression": _texts(judges.expression),
    "template": _texts(judges.template),
    "skill": _both(judges.skill),
    "document": _both(judges.document),
    "api": _api,
}


def seeds_of(target: str) -> list[bytes]:
    """What a target begins with."""
    if target == "api":
        return _requests()
    return [each.encode("utf-8", "surrogateescape") for each in _seeds(target)]


def _seeds(target: str) -> list[str]:
    if target in ("loader", "plan"):
        return [*seeds.PLANS, *(json.dumps(tree, ensure_ascii=False) for tree in seeds.trees(seeds.PLANS))]
    if target == "canvas":
        return seeds.CANVASES
    if target == "skill":
        return [seeds.SKILL]
    if target == "document":
        return [*seeds.ROWS, *seeds.PAGES]
    return list(seeds.EXPRESSIONS if target == "expression" else seeds.TEMPLATES)


def _requests() -> list[bytes]:
    """Every route, asked of what is there, with every body where it may fit."""
    from tests.fuzz import asking

    found = []
    for number, (method, path) in enumerate(asking.ROUTES):
        count = path.count("{")
        for first in (0, 1, 3) if count else (0,):  # p, q, a run
            head = bytes([number, first, 2 if "{version}" in path else 0, 0, 200, 0, 200, 0])
            bodies = asking.BODIES if method in ("PUT", "POST") else ("",)
            found += [head + body.encode() for body in bodies]
    return found


def spoiled(target: str, data: bytes, chosen: random.Random) -> bytes:
    """The input with bites taken out, or grafts on the tree that it is."""
    head, body = (data[:HEAD], data[HEAD:]) if target == "api" else (b"", data)
    if head and chosen.random() < 0.5:
        at = chosen.randrange(len(head))
        return head[:at] + bytes([chosen.randrange(256)]) + head[at + 1 :] + body
    said = text(body)
    if chosen.random() < 0.6:
        try:
            tree = json.loads(said)
        except (ValueError, RecursionError):
            tree = None
        if isinstance(tree, (dict, list)):
            grafts = [
                (chosen.randrange(10_000), chosen.choice("rdcm"), _json(chosen, 2), chosen.randrange(10_000))
                for _ in range(chosen.randint(1, 4))
            ]
            return head + _encoded(seeds.graft(tree, grafts))
    bites = [
        (chosen.randrange(20_000), chosen.choice((0, 0, 1, 3, 12)), chosen.choice(seeds.TRICKS + WORDS))
        for _ in range(chosen.randint(1, 4))
    ]
    return head + _encoded(seeds.bite(said, bites))


def _encoded(said: str) -> bytes:
    try:
        return said.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return said.encode("utf-8", "surrogatepass")


def _json(chosen: random.Random, depth: int) -> Any:
    kind = chosen.randrange(8 if depth else 5)
    if kind < 2:
        return chosen.choice(WORDS + seeds.TRICKS)
    if kind == 2:
        return chosen.choice((0, 1, -1, 2**53, 1e308, 0.5))
    if kind < 5:
        return chosen.choice((None, True, False))
    count = chosen.randrange(3)
    if kind == 5:
        return [_json(chosen, depth - 1) for _ in range(count)]
    return {chosen.choice(WORDS + seeds.TRICKS): _json(chosen, depth - 1) for _ in range(count)}
