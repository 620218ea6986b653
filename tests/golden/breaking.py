"""What breaks whom: the API's description against that of the last release. `make breaking`; the suite does it too.

`python -m tests.golden.breaking [OLD.json [NEW.json]]` prints a line for each break, exit code 1 where there is one.

A caller of the old API must get on with the new one. So what is sent may become less demanding, never more; what is
received may become more exact, never less. Additions pass: paths, operations, answers, members, optional parameters,
and values of an enum, which readers of this API must expect. A value that goes breaks whoever sends or waits for it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopstep.api.openapi import FILE

RELEASED = Path(__file__).with_name("released")
SUFFIX = ".openapi.json"
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
SENT, RECEIVED = "sent", "received"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Break:
    """`place` is an operation and what of it; `what` has changed; `whom` it breaks."""

    place: str
    what: str
    whom: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}; breaks {self.whom}"


def last_release() -> Path:
    """The newest kept description."""

    def version(file: Path) -> tuple[int, ...]:
        return tuple(int(part) for part in file.name.removesuffix(SUFFIX).split("."))

    return max(RELEASED.glob(f"*{SUFFIX}"), key=version)


def breaks(old: Json, new: Json) -> list[Break]:
    """Everything that breaks a caller of `old`."""
    return list(_Comparison(old, new).all())


def _shape(path: str) -> str:
    """A path without the names of its parameters, which no caller sees."""
    return re.sub(r"\{[^}]*\}", "{}", path)


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str, str]] = set()

    def all(self) -> Iterator[Break]:
        news = {_shape(path): operations for path, operations in self._new["paths"].items()}
        for path, operations in self._old["paths"].items():
            there = news.get(_shape(path))
            if there is None:
                yield Break(path, "is gone", "whoever calls it")
                continue
            for method in METHODS:
                if method in operations:
                    place = f"{method.upper()} {path}"
                    if method not in there:
                        yield Break(place, "is gone", "whoever calls it")
                    else:
                        yield from self._operation(place, operations[method], there[method])
        yield from self._keys()

    def _keys(self) -> Iterator[Break]:
        """How callers say who they are."""
        old, new = (each.get("components", {}).get("securitySchemes", {}) for each in (self._old, self._new))
        for name, scheme in old.items():
            for field in ("type", "in", "name", "scheme"):
                if new.get(name, {}).get(field) != scheme.get(field):
                    change = f"{field} was {scheme.get(field)}, is {new.get(name, {}).get(field)}"
                    yield Break(f"security {name}", change, "whoever identifies so")

    # -- operations ------------------------------------------------------------------------------------------------

    def _operation(self, place: str, old: Json, new: Json) -> Iterator[Break]:
        if old.get("operationId") != new.get("operationId"):
            change = f"operationId was {old.get('operationId')}, is {new.get('operationId')}"
            yield Break(place, change, "generated clients")
        yield from self._parameters(place, old.get("parameters", []), new.get("parameters", []))
        yield from self._body(f"{place}, body", old.get("requestBody"), new.get("requestBody"))
        for status, answer in old.get("responses", {}).items():
            at = f"{place}, answer {status}"
            if status not in new.get("responses", {}):
                yield Break(at, "is gone", "whoever waits for it")
            else:
                yield from self._contents(at, answer, new["responses"][status], RECEIVED)

    def _parameters(self, place: str, old: list[Json], new: list[Json]) -> Iterator[Break]:
        olds, news = _by_name(old), _by_name(new)
        for key, parameter in olds.items():
            at = f"{place}, {key[0]} parameter {parameter['name']}"
            if key not in news:
                yield Break(at, "is gone", "whoever sends it")
                continue
            if news[key].get("required") and not parameter.get("required"):
                yield Break(at, "is required", "whoever does not send it")
            yield from self._schema(at, parameter.get("schema", {}), news[key].get("schema", {}), SENT)
        for key, parameter in news.items():
            if key not in olds and parameter.get("required"):
                yield Break(f"{place}, {key[0]} parameter {parameter['name']}", "is new and required", "every caller")

    def _body(self, place: str, old: Json | None, new: Json | None) -> Iterator[Break]:
        if old is None:
            if new is not None and new.get("required"):
                yield Break(place, "is new and required", "every caller")
        elif new is None:
            yield Break(place, "is gone", "whoever sends one")
        else:
            if new.get("required") and not old.get("required"):
                yield Break(place, "is required", "whoever sends none")
            yield from self._contents(place, old, new, SENT)

    def _contents(self, place: str, old: Json, new: Json, way: str) -> Iterator[Break]:
        for kind, content in old.get("content", {}).items():
            at = place if kind == "application/json" else f"{place} as {kind}"
            if kind not in new.get("content", {}):
                yield Break(f"{place} as {kind}", "is gone", _user(way))
            else:
                yield from self._schema(at, content.get("schema", {}), new["content"][kind].get("schema", {}), way)

    # -- schemas ---------------------------------------------------------------------------------------------------

    def _schema(self, place: str, old: Json, new: Json, way: str) -> Iterator[Break]:
        """Each variant of the one side must find one on the other that it fits."""
        pair = (str(old.get("$ref")), str(new.get("$ref")), way)
        if "None" not in pair:  # the same two again: inside themselves, or in another operation
            if pair in self._seen:
                return
            self._seen.add(pair)
        olds, news = list(self._variants(self._old, old)), list(self._variants(self._new, new))
        for each in olds if way == SENT else news:
            seen = set(self._seen)
            attempts = []
            for other in news if way == SENT else olds:
                self._seen = set(seen)
                attempts.append(
                    (list(self._one(place, *((each, other) if way == SENT else (other, each)), way)), self._seen)
                )
            found, self._seen = min(attempts, key=lambda attempt: len(attempt[0]))
            yield from found

    def _variants(self, document: Json, schema: Json) -> Iterator[Json]:
        """A schema as alternatives without references, of one type each or of none."""
        schema = _resolved(document, schema)
        several = schema.get("anyOf") or schema.get("oneOf")
        if several:
            for each in several:
                yield from self._variants(document, each)
        elif isinstance(schema.get("type"), list):
            for kind in schema["type"]:
                yield {**schema, "type": kind}
        else:
            yield schema

    def _one(self, place: str, old: Json, new: Json, way: str) -> Iterator[Break]:
        was, now = _kind(old), _kind(new)
        sent = way == SENT
        if (now if sent else was) is None:
            pass  # anything goes, or anything was to be expected
        elif was != now and (was, now) != (("integer", "number") if sent else ("number", "integer")):
            yield Break(place, f"was {was or 'anything'}, is {now or 'anything'}", _user(way))
            return
        yield from self._values(place, old, new, way)
        yield from self._members(place, old, new, way)
        if "items" in old or "items" in new:
            yield from self._schema(f"{place}[]", old.get("items", {}), new.get("items", {}), way)
        if sent:
            yield from _limits(place, old, new)

    def _values(self, place: str, old: Json, new: Json, way: str) -> Iterator[Break]:
        was, now = _values(old), _values(new)
        if was is not None and now is not None:
            gone = [value for value in was if value not in now]
            if gone:
                yield Break(place, f"is no longer {' or '.join(map(str, gone))}", _user(way))
        elif was is None and now is not None and way == SENT:
            yield Break(place, f"is one of {', '.join(map(str, now))}", _user(way))
        elif was is not None and now is None and way == RECEIVED:
            yield Break(place, "may be any other value", _user(way))

    def _members(self, place: str, old: Json, new: Json, way: str) -> Iterator[Break]:
        olds, news = old.get("properties", {}), new.get("properties", {})
        for name, member in olds.items():
            at = f"{place}/{name}"
            if name in news:
                yield from self._schema(at, member, news[name], way)
            elif olds and _kind(new) is not None:
                yield Break(at, "is gone", _user(way))
        required, before = set(new.get("required", [])), set(old.get("required", []))
        if way == SENT:
            for name in sorted(required - before):
                yield Break(f"{place}/{name}", "is required", "whoever does not send it")
        else:
            for name in sorted((before - required) & news.keys()):
                yield Break(f"{place}/{name}", "may be missing", "whoever reads it")
        was, now = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if isinstance(was, dict) and isinstance(now, dict):
            yield from self._schema(f"{place}/*", was, now, way)
        elif way == SENT and was is not False and now is False and _kind(old) == "object":
            yield Break(place, "takes no other members", "whoever sends some")


def _by_name(parameters: list[Json]) -> dict[tuple[str, str], Json]:
    """By place and name; those of the path by their position, names of headers in any case."""
    found, position = {}, 0
    for each in parameters:
        name = each["name"].lower() if each["in"] == "header" else each["name"]
        if each["in"] == "path":
            name, position = str(position), position + 1
        found[each["in"], name] = each
    return found


def _resolved(document: Json, schema: Json) -> Json:
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    for each in schema.get("allOf", []):
        part = _resolved(document, each)
        merged = {**schema, **{name: value for name, value in part.items() if name not in schema}}
        merged["properties"] = {**part.get("properties", {}), **schema.get("properties", {})}
        merged["required"] = sorted({*part.get("required", []), *schema.get("required", [])})
        schema = merged
    return schema


def _kind(schema: Mapping[str, Any]) -> str | None:
    kind = schema.get("type")
    if kind is None and "properties" in schema:
        return "object"
    return str(kind) if kind is not None else None


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found


def _limits(place: str, old: Json, new: Json) -> Iterator[Break]:
    """What is sent must not be bounded more narrowly."""
    for name in ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"):
        if name in new and (name not in old or new[name] > old[name]):
            yield Break(place, f"{name} was {old.get(name)}, is {new[name]}", "whoever sends less")
    for name in ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"):
        if name in new and (name not in old or new[name] < old[name]):
            yield Break(place, f"{name} was {old.get(name)}, is {new[name]}", "whoever sends more")
    for name in ("pattern", "format", "propertyNames", "multipleOf", "uniqueItems"):
        if name in new and new[name] != old.get(name):  # that it takes no less cannot be told
            yield Break(place, f"{name} was {old.get(name)}, is {new[name]}", "whoever sends what it leaves out")


def _user(way: str) -> str:
    return "whoever sends it" if way == SENT else "whoever reads it"


def main(arguments: list[str]) -> int:
    """Compare; 1 where something breaks."""
    old = Path(arguments[0]) if arguments else last_release()
    new = Path(arguments[1]) if arguments[1:] else FILE
    found = breaks(*(json.loads(each.read_text(encoding="utf-8")) for each in (old, new)))
    for each in found:
        print(each)
    print(f"{new.name} against {old.name}: {f'{len(found)} breaks' if found else 'nothing breaks'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
