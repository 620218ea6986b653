"""What a registered skill or agent tells a model: its instructions, and its declared inputs as the user's message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from loopstep.expressions.render import value_text
from loopstep.registry.records import Entry
from loopstep.runtime.marks import marked

NOTHING_GIVEN = "Do what your instructions say."

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # of a property, as every model takes it


def inputs_of(entry: Entry) -> list[dict[str, Any]]:
    """The declared inputs, in their order: `{"name", "type", "required", "description"}`."""
    return [each for each in entry.content.get("inputs") or () if each.get("name")]


def missing_of(entry: Entry, values: Mapping[str, Any]) -> list[str]:
    """The names of the required inputs that have no value."""
    return [each["name"] for each in inputs_of(entry) if each.get("required") and values.get(each["name"]) is None]


class Typed(NamedTuple):
    """Inputs as their declared types have them. `wrong` are required ones that are not to be had, `lost` optional ones
    that are left out for that, a sentence each.
    """

    values: dict[str, Any]
    wrong: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def typed(entry: Entry, values: Mapping[str, Any]) -> Typed:
    """The values converted to the declared types by their own (CANVAS §2, §4.1); what is not declared stays."""
    from loopstep.convert.by_value import source_of  # only a definition that declares inputs needs conversions
    from loopstep.convert.registry import convert
    from loopstep.convert.registry import entry as conversion

    kept = dict(values)
    wrong: list[str] = []
    lost: list[str] = []
    for each in inputs_of(entry):
        name, to, value = each["name"], each.get("type") or "string", values.get(each["name"])
        if value is None:
            continue
        kept[name], reason = convert(value, "value", to)
        if reason is not None:
            source = source_of(value) or "value"
            tried = conversion("value", to, source)
            how = f" ({tried.sentence})" if tried else ""
            sentence = f"{name} is of type {source}, which gives no {to}{how}: {reason}"
            (wrong if each.get("required") else lost).append(sentence)
    return Typed(kept, tuple(wrong), tuple(lost))


def user_text(entry: Entry, values: Mapping[str, Any]) -> str:
    """The declared inputs in order, a line `name: text` each, the text marked as data; absent ones are left out."""
    lines = [
        f"{each['name']}: {marked(value_text(values[each['name']]))}"
        for each in inputs_of(entry)
        if values.get(each["name"]) is not None
    ]
    return "\n".join(lines) or NOTHING_GIVEN


def property_names(entry: Entry) -> dict[str, str]:
    """Names for the declared inputs that every model takes as properties: their own, or `input_<number>`."""
    names: dict[str, str] = {}
    for number, each in enumerate(inputs_of(entry), 1):
        own = each["name"]
        free = own if _NAME.fullmatch(own) else f"input_{number}"
        while free in names.values():
            free += "_"
        names[own] = free
    return names
