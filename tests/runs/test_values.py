"""What stays in an item and what goes to the bucket, to the byte (ARCHITECTURE §4)."""

from __future__ import annotations

import io
from typing import Any

import pytest
from botocore.exceptions import ResponseStreamingError

from loopstep.gateways.reading import READS
from loopstep.runs.values import (
    INLINE_LIMIT,
    ITEM_LIMIT,
    VALUE_LIMIT,
    Draft,
    Pointer,
    Values,
    ValueTooLarge,
    decode,
    encode,
    text_of,
    text_of_fields,
)


def pointers(placed: dict[str, Any]) -> set[str]:
    return {name for name, value in placed.items() if isinstance(value, Pointer)}


@pytest.mark.parametrize(
    ("text", "goes"),
    [
        ("x" * INLINE_LIMIT, False),
        ("x" * (INLINE_LIMIT + 1), True),
        ("ü" * (INLINE_LIMIT // 2), False),
        ("ü" * (INLINE_LIMIT // 2) + "x", True),
        ("界" * (INLINE_LIMIT // 3 + 1), True),
    ],
)
def test_a_value_above_the_limit_goes_to_the_bucket(text: str, goes: bool) -> None:
    draft = Draft("r", "n#", 1)
    placed = draft.place({"a": text})
    assert pointers(placed) == ({"a"} if goes else set())
    assert list(draft.objects.values()) == ([text.encode()] if goes else [])


def test_then_the_largest_go_until_the_item_fits() -> None:
    sizes = {f"f{number:02d}": 20_000 + number for number in range(20)}
    draft = Draft("r", "n#", 1)
    placed = draft.place({name: "x" * size for name, size in sizes.items()}, base=1000)
    gone = pointers(placed)
    assert gone == set(sorted(sizes, key=lambda name: -sizes[name])[: len(gone)])
    inline = sum(sizes[name] + 6 for name in sizes if name not in gone)
    assert 1000 + inline + 256 * len(gone) < ITEM_LIMIT
    assert 1000 + inline + 256 * len(gone) + 20_000 >= ITEM_LIMIT


@pytest.mark.parametrize(("over", "goes"), [(-1, False), (0, True), (1, True)])
@pytest.mark.parametrize("letter", ["x", "é", "界"])
def test_an_item_is_smaller_than_its_limit_in_utf8_bytes(over: int, goes: bool, letter: str) -> None:
    text = letter * 9_000
    base = ITEM_LIMIT - len(text.encode()) - len("a") - 3 + over
    assert pointers(Draft("r", "n#", 1).place({"a": text}, base)) == ({"a"} if goes else set())


@pytest.mark.parametrize(("over", "fits"), [(-1, True), (0, True), (1, False)])
def test_a_value_has_at_most_5_mib_in_utf8_bytes(over: int, fits: bool) -> None:
    room = VALUE_LIMIT - 2 + over
    text = "é" * (room // 2) + "x" * (room % 2)
    if fits:
        assert len(text_of(text, "f").encode()) == VALUE_LIMIT + over
    else:
        with pytest.raises(ValueTooLarge):
            text_of(text, "f")


def test_values_too_small_to_be_worth_it_stay() -> None:
    draft = Draft("r", "n#", 1)
    assert not pointers(draft.place({f"f{number}": "x" * 100 for number in range(10)}, base=ITEM_LIMIT))


def test_the_same_text_is_one_object() -> None:
    draft = Draft("r", "n#", 1)
    text = "x" * 40_000
    first, second = draft.place({"f_a": text})["f_a"], draft.place({"w_a": text})["w_a"]
    assert first == second
    assert len(draft.objects) == 1


def test_a_stored_value_is_encoded_and_decoded() -> None:
    for stored in ('{"a":1}', Pointer("run/r/x", 12)):
        assert decode(encode(stored)) == stored


def test_the_largest_value() -> None:
    assert len(text_of("x" * (VALUE_LIMIT - 2), "f")) == VALUE_LIMIT
    with pytest.raises(ValueTooLarge, match="f"):
        text_of("x" * (VALUE_LIMIT - 1), "f")
    with pytest.raises(ValueTooLarge):
        text_of("ü" * (VALUE_LIMIT // 2), "f")
    text_of_fields({"a": "x" * (VALUE_LIMIT - 2), "b": "x" * (VALUE_LIMIT - 2)})
    with pytest.raises(ValueTooLarge, match="b"):
        text_of_fields({"a": "x", "b": "x" * VALUE_LIMIT})


def test_numbers_and_key_order_survive(world: Any) -> None:
    values = Values(lambda: world.s3, "values")
    for value in ({"b": 1, "a": 0.1, "z": [1e-7, 2**53 - 1, None, True]}, "\u2028 ü 界 \x00", {}, []):
        assert list(values.read(text_of(value, "f"))) == list(value)
        assert values.read(text_of(value, "f")) == value


def test_several_objects_are_read_in_order_and_once(world: Any) -> None:
    calls: list[str] = []

    class Counting:
        def __getattr__(self, name: str) -> Any:
            calls.append(name)
            return getattr(world.s3, name)

    values = Values(Counting, "values")
    draft = Draft("r", "n#", 1)
    placed = draft.place({f"f{number}": f'"{number}{"x" * 40_000}"' for number in range(5)})
    values.write(draft.objects)
    calls.clear()
    read = values.read_all([*placed.values(), placed["f0"], "7"])
    assert [str(each)[0] for each in read] == ["0", "1", "2", "3", "4", "0", "7"]
    assert calls == ["get_object"] * 5


class Breaking:
    """An S3 client with one object, whose body breaks off the first times that it is read."""

    def __init__(self, times: int) -> None:
        self.left = times

    def get_object(self, **request: Any) -> dict[str, Any]:
        return {"Body": self, "ContentRange": "bytes"}

    def read(self) -> bytes:
        self.left -= 1
        if self.left >= 0:
            raise ResponseStreamingError(error="broken")
        return b'"whole"'


def test_a_body_that_breaks_off_is_read_again() -> None:
    place = Pointer("key", 7)
    assert values_of(Breaking(READS - 1)).read(place) == "whole"
    assert values_of(Breaking(READS - 1)).slice(place, 0, 7) == b'"whole"'
    with pytest.raises(ResponseStreamingError):
        values_of(Breaking(READS)).read(place)


def values_of(client: Any) -> Values:
    return Values(lambda: client, "bucket")


def test_a_warm_function_reads_an_object_once_and_keeps_a_few() -> None:
    read: list[str] = []

    class Bucket:
        def get_object(self, Bucket: str, Key: str) -> Any:
            read.append(Key)
            return {"Body": io.BytesIO(b'"' + b"x" * 1024 * 1024 + b'"')}

    values = Values(Bucket, "values")
    pointers = [Pointer(f"k{number}", 1024 * 1024) for number in range(12)]
    for _ in range(2):
        values.read(pointers[0])
    assert read == ["k0"]
    values.read_all(pointers)
    assert len(read) == 12
    values.read(pointers[11])
    assert len(read) == 12
    values.read(pointers[0])
    assert len(read) == 13  # the oldest made room
    first, second = values.read(pointers[11]), values.read(pointers[11])
    assert first == second
