"""JSON values as the runs table holds them: text in the item, or a pointer into the bucket (ARCHITECTURE §4).

All sizes are UTF-8 bytes. Objects are immutable (their key holds a digest) and are written before the item that points
at them, so an item never points at nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from loopstep.gateways.reading import read_object
from loopstep.runs.keys import object_key
from loopstep.types.text import json_text

INLINE_LIMIT = 32 * 1024  # a larger value goes to the bucket
ITEM_LIMIT = 200 * 1024  # then the largest remaining ones, until the item is smaller than this (AWS: 400 KB an item)
VALUE_LIMIT = 5 * 1024 * 1024  # LANGUAGE §11, one value inside a run
_POINTER_SIZE = 256  # what a pointer takes in an item, at most about
_WORKERS = 8
_KEPT_BYTES = 8 * 1024 * 1024  # of objects that a warm function keeps: many parts of a region read the same ones

AttributeValue = dict[str, Any]


class ValueTooLarge(Exception):
    """A value above VALUE_LIMIT; the argument is the field's name."""


class Pointer(NamedTuple):
    """A value in the bucket; `size` is the length of its JSON text in bytes."""

    key: str
    size: int


Stored = str | Pointer  # a JSON text, or where it lies


def encode(stored: Stored) -> AttributeValue:
    """Return the attribute value of a stored value: S, or M with `key` and `bytes`."""
    if isinstance(stored, str):
        return {"S": stored}
    return {"M": {"key": {"S": stored.key}, "bytes": {"N": str(stored.size)}}}


def decode(attribute: AttributeValue) -> Stored:
    """Return what `encode` was given."""
    if "S" in attribute:
        text: str = attribute["S"]
        return text
    place = attribute["M"]
    return Pointer(place["key"]["S"], int(place["bytes"]["N"]))


def text_of(value: Any, field: str) -> str:
    """Return a value's JSON text; raises ValueTooLarge(field) above VALUE_LIMIT."""
    text = json_text(value)
    if len(text) > VALUE_LIMIT or (len(text) * 4 > VALUE_LIMIT and len(text.encode()) > VALUE_LIMIT):
        raise ValueTooLarge(field)
    return text


def text_of_fields(values: dict[str, Any]) -> str:
    """Return the JSON text of an input or output, each field of which may have VALUE_LIMIT; raises ValueTooLarge."""
    text = json_text(values)
    if len(text) * 4 > VALUE_LIMIT:
        for field, value in values.items():
            text_of(value, field)
    return text


def stored_size(stored: Stored) -> int:
    """Return the bytes that a stored value takes in an item."""
    return len(stored.encode()) if isinstance(stored, str) else _POINTER_SIZE


class Draft:
    """Decides for the items of one commit which of their values go to the bucket, and collects those objects.

    `owner` and `attempt` are segments of the object keys: the activation that writes, and its attempt from 1.
    """

    __slots__ = ("_attempt", "_owner", "_places", "_run", "objects")

    def __init__(self, run: str, owner: str, attempt: int) -> None:
        self._run, self._owner, self._attempt = run, owner, attempt
        self._places: dict[str, Pointer] = {}
        self.objects: dict[str, bytes] = {}  # by key, to be written before the commit

    def place(self, fields: Mapping[str, Stored], base: int = 0) -> dict[str, Stored]:
        """Return the fields of one item with as many texts replaced by pointers as the limits ask for.

        `base` is the size of what else the item holds. The same text in two items of a commit is one object.
        """
        sizes = {name: stored_size(value) + len(name.encode()) + 3 for name, value in fields.items()}
        total = base + sum(sizes.values())
        placed = dict(fields)
        for name in sorted(fields, key=lambda each: -sizes[each]):
            text = fields[name]
            if sizes[name] <= _POINTER_SIZE or (sizes[name] <= INLINE_LIMIT and total < ITEM_LIMIT):
                break
            if isinstance(text, str) and (stored_size(text) > INLINE_LIMIT or total >= ITEM_LIMIT):
                placed[name] = self._object(name, text)
                total += _POINTER_SIZE - sizes[name]
        return placed

    def keep(self, field: str, data: bytes) -> Pointer:
        """Return where these bytes will lie, as an object of their own."""
        found = Pointer(object_key(self._run, self._owner, self._attempt, field, data), len(data))
        self.objects[found.key] = data
        return found

    def _object(self, field: str, text: str) -> Pointer:
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = self.keep(field, text.encode())
        return found


class Values:
    """The bucket of large values. `s3` gives the client and is called only when one is read or written."""

    __slots__ = ("_bucket", "_kept", "_s3")

    def __init__(self, s3: Callable[[], Any], bucket: str) -> None:
        self._s3, self._bucket = s3, bucket
        self._kept: dict[str, bytes] = {}  # the objects read last, oldest first

    def write(self, objects: Mapping[str, bytes]) -> None:
        """Write objects by key; the same object again changes nothing."""
        if objects:
            client = self._s3()
            _each(lambda item: client.put_object(Bucket=self._bucket, Key=item[0], Body=item[1]), objects.items())

    def read(self, stored: Stored) -> Any:
        """Return the JSON value of a stored one."""
        return self.read_all([stored])[0]

    def read_all(self, stored: Iterable[Stored]) -> list[Any]:
        """Return the JSON values of several stored ones, in order; objects are fetched side by side."""
        places = list(stored)
        keys = list(dict.fromkeys(each.key for each in places if isinstance(each, Pointer)))
        texts = self._texts(keys) if keys else {}
        return [json.loads(each if isinstance(each, str) else texts[each.key]) for each in places]

    def slice(self, pointer: Pointer, start: int, end: int) -> bytes:
        """Return the bytes of an object from `start` up to, not including, `end`."""
        part = f"bytes={start}-{end - 1}"
        body, reply = read_object(self._s3(), Bucket=self._bucket, Key=pointer.key, Range=part)
        return body if "ContentRange" in reply else body[start:end]

    def _texts(self, keys: list[str]) -> dict[str, bytes]:
        found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [key for key in keys if key not in found]
        read = dict(zip(missing, _each(self._fetch, missing), strict=True))
        for key, body in read.items():
            if len(body) * 2 <= _KEPT_BYTES:
                self._kept[key] = body
        while sum(map(len, self._kept.values())) > _KEPT_BYTES:
            self._kept.pop(next(iter(self._kept)))
        return found | read

    def _fetch(self, key: str) -> bytes:
        return read_object(self._s3(), Bucket=self._bucket, Key=key)[0]


def _each(act: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Return `act` of every item, in order; side by side where there are several."""
    work = list(items)
    if len(work) < 2:
        return [act(each) for each in work]
    from concurrent.futures import ThreadPoolExecutor  # most invocations have no large value

    with ThreadPoolExecutor(min(_WORKERS, len(work))) as pool:
        return list(pool.map(act, work))
