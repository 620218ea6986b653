"""What a model's answer means for the declared output of its node (CANVAS §3.2, §4.2, §4.3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.runtime.failures import sentences
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Fields, Schema, describe

_NO_OBJECT = "there is no JSON object in it"


class Answer(NamedTuple):
    """`output` counts where `wrong`, a sentence without data, is empty. `lost`: fields that a value was there for, and
    was of no use, each with the reason.
    """

    output: dict[str, Any]
    wrong: str = ""
    lost: tuple[str, ...] = ()


def form(fields: Fields) -> str:
    """What the model is told of the form of its answer, "" where any text will do."""
    if len(fields) == 1:
        (schema,) = fields.values()
        return "" if _is_plain(schema) else f"Answer with nothing but the value: {_described(schema)}."
    lines = [f"- {name}: {_described(schema)}" for name, schema in fields.items()]
    return "Answer with one JSON object and nothing else. It has these fields:\n" + "\n".join(lines)


def read_answer(text: str, fields: Fields) -> Answer:
    """The output that the answer is: its whole text for one field, the fields of its JSON object for several."""
    if len(fields) == 1:
        return _whole(text, fields)
    from loopstep.runtime.lenient_json import object_in

    found = object_in(text, fields)
    return Answer({}, _NO_OBJECT) if found is None else _converted(found, fields, "structured")


def _whole(text: str, fields: Fields) -> Answer:
    ((name, schema),) = fields.items()
    if _is_plain(schema):
        return Answer({name: text})
    return _converted({name: text.strip() if schema.type == "string" else text}, fields, "text")


def _is_plain(schema: Schema) -> bool:
    return schema.type in ("string", "any") and schema.brief() in (schema.type, f"{schema.type}!")


def _converted(found: dict[str, Any], fields: Fields, kind: str) -> Answer:
    """Each field by its conversion; without a value it is absent, which the contract may not allow."""
    from loopstep.convert.registry import convert

    values: dict[str, Any] = {}
    lost = []
    for name, schema in fields.items():
        if found.get(name) is None:
            continue
        value, reason = convert(found[name], kind, schema.type)
        if reason is None:
            values[name] = value
        else:
            lost.append(f"{name}: {reason}")
    output, problems = conform_fields(values, fields)
    wrong = "; ".join(filter(None, [sentences(problems), *(lost if problems else ())]))
    return Answer(output, wrong, tuple(lost))


def _described(schema: Schema) -> str:
    parts = [describe(schema)]
    if schema.required:
        parts.append("required")
    if schema.description:
        parts.append(schema.description)
    return ", ".join(parts)
