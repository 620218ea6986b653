"""Contracts with whoever stands outside: who starts runs and answers callbacks sends, who reads outputs receives.

What was sent must still be taken, what is received must still be what it was: by the compiler's rules of what fits what
(LANGUAGE §3), and for what is sent by the run-time constraints too, since a value beyond them is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.comparing.change import ADDED, CHANGED, REMOVED, Change
from loopstep.types.assignable import assignable
from loopstep.types.schema import MISSING, Fields, Schema, describe

_LOW = ("min_length", "minimum", "min_items")
_HIGH = ("max_length", "maximum", "max_items")
_NAMES = {
    "min_length": "minLength", "minimum": "minimum", "min_items": "minItems",
    "max_length": "maxLength", "maximum": "maximum", "max_items": "maxItems",
}  # fmt: skip


def sent(about: str, place: str, before: Fields, after: Fields) -> Iterator[Change]:
    """What others send: a run's input, a callback's answer."""
    for name, old, new in _pairs(before, after):
        where = f"{place}.{name}"
        if old is None and new is not None:
            why = "it is required, and who sent nothing is refused" if new.demanded else ""
            yield Change(about, ADDED, where, after=new.to_json(), breaks=why)
        elif new is None and old is not None:
            why = "it is not declared any more, and who sends it is refused"
            yield Change(about, REMOVED, where, old.to_json(), breaks=why)
        elif old is not None and new is not None and old.to_json() != new.to_json():
            yield Change(about, CHANGED, where, old.to_json(), new.to_json(), breaks=not_taken(old, new))


def received(about: str, place: str, before: Fields, after: Fields) -> Iterator[Change]:
    """What others receive: a run's output."""
    for name, old, new in _pairs(before, after):
        where = f"{place}.{name}"
        if old is None and new is not None:
            yield Change(about, ADDED, where, after=new.to_json())
        elif new is None and old is not None:
            yield Change(about, REMOVED, where, old.to_json(), breaks="who reads it finds nothing")
        elif old is not None and new is not None and old.to_json() != new.to_json():
            yield Change(about, CHANGED, where, old.to_json(), new.to_json(), breaks=_not_what_it_was(old, new))


def kept(about: str, place: str, before: Fields, after: Fields) -> Iterator[Change]:
    """What nobody outside sees: a state's fields."""
    for name, old, new in _pairs(before, after):
        was, now = (MISSING if side is None else side.to_json() for side in (old, new))
        if was != now:
            action = ADDED if old is None else REMOVED if new is None else CHANGED
            yield Change(about, action, f"{place}.{name}", was, now)


def not_taken(old: Schema, new: Schema) -> str:
    """Why some value that `old` takes is refused by `new`; "" where there is none."""
    if new.demanded and not old.demanded:
        return "it may not be left out any more"
    mismatch = assignable(_as_sent(old), new)
    if mismatch is not None:
        return mismatch.reason
    return _narrower(old, new, "")


def _not_what_it_was(old: Schema, new: Schema) -> str:
    if old.guaranteed and not new.guaranteed:
        return "it may be absent now"
    mismatch = assignable(new, old)
    return mismatch.reason if mismatch is not None else ""


def _as_sent(schema: Schema) -> Schema:
    """The schema of what others send: a field with a default may be left out."""
    return schema._replace(
        required=schema.demanded,
        default=MISSING,
        items=None if schema.items is None else _as_sent(schema.items),
        properties=None
        if schema.properties is None
        else {name: _as_sent(each) for name, each in schema.properties.items()},
    )


def _narrower(old: Schema, new: Schema, where: str) -> str:
    """The first constraint that `new` has and `old` has not so narrow, at any depth."""
    at = f" of {where}" if where else ""
    for name in (*_LOW, *_HIGH):
        was, now = getattr(old, name), getattr(new, name)
        if now is not None and (was is None or (now > was if name in _LOW else now < was)):
            return f"its {_NAMES[name]}{at} is {now}" + ("" if was is None else f", it was {was}")
    if old.items is not None and new.items is not None:
        return _narrower(old.items, new.items, f"{where}[]")
    for name, field in (old.properties or {}).items():
        inner = (new.properties or {}).get(name)
        if inner is not None and (found := _narrower(field, inner, f"{where}.{name}" if where else name)):
            return found
    return ""


def shown(schema: Any) -> str:
    """A schema of a change in a few words."""
    if schema is MISSING:
        return "nothing"
    read = Schema.from_json(schema)
    parts = [describe(read)]
    parts += ["required"] if read.required else []
    parts += [f"default {read.default!r}" if read.default is not MISSING else ""]
    parts += [f"{_NAMES[name]} {getattr(read, name)}" for name in _NAMES if getattr(read, name) is not None]
    parts += ["secret"] if read.secret else []
    return ", ".join(part for part in parts if part)


def _pairs(before: Fields, after: Fields) -> Iterator[tuple[str, Schema | None, Schema | None]]:
    """By name in the order of the older, then what is new."""
    for name in dict.fromkeys((*before, *after)):
        yield name, before.get(name), after.get(name)
