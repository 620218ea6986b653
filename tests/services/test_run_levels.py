"""A run's timeline, a level at a time: what stands directly in a place, long rows folded, everything found once."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from loopstep.runs.records import Activation
from loopstep.services.run_levels import FEW, PLACE, Row, Structure, level, place_of, text_of

AROUND_ITEM = [{"kind": "items", "nodeId": "each", "part": "item"}]
AROUND_PASS = [*AROUND_ITEM, {"kind": "loop", "nodeId": "again", "part": "body"}]
STRUCTURE = Structure(
    {
        "nodes": {
            "begin": {"enclosing": []},
            "each": {"enclosing": []},
            "all": {"enclosing": []},
            "again": {"enclosing": AROUND_ITEM},
            "step": {"enclosing": AROUND_PASS},
            "left": {"enclosing": [{"kind": "branches", "nodeId": "split", "part": "one"}]},
        }
    }
)


def at(second: int) -> str:
    return f"2026-03-01T12:{second // 60:02d}:{second % 60:02d}.000Z"


def act(node: str, path: str, second: int, status: str = "completed", port: str = "completed") -> Activation:
    ended = None if status == "running" else at(second + 1)
    return Activation(node, path, status, 1, at(second), ended, port=port)


def run_of(items: int, passes: int = 2) -> list[Activation]:
    """begin, each, and in every item a loop of some passes; `all` at the end. The items begin in reverse."""
    records = [act("begin", "", 0), act("each", "", 1), act("all", "", 900)]
    for item in range(items):
        second = 10 + 2 * (items - item)
        records += [act("again", f"{item}.{index}", second, port="body") for index in range(passes)]
        records += [act("step", f"{item}.{index}", second) for index in range(passes)]
        records.append(act("again", f"{item}.{passes}", second + 1, port="completed"))
    return records


def told(rows: list[Row]) -> list[str]:
    return [text_of(row.place) or (row.head.id if row.head else "") for row in rows]


def test_few_items_stand_one_by_one_by_their_numbers() -> None:
    rows = level(STRUCTURE, run_of(3), ())
    assert told(rows) == ["begin#", "each#", "each.item.0", "each.item.1", "each.item.2", "all#"]
    assert rows[2].counts == {"completed": 5} and rows[2].kind == "items"


def test_many_items_are_one_row() -> None:
    records = run_of(FEW + 1)
    records[5] = records[5]._replace(status="failed")
    rows = level(STRUCTURE, records, ())
    assert told(rows) == ["begin#", "each#", "each.item.*", "all#"]
    folded = rows[2]
    assert folded.folded and folded.status == "failed" and folded.counts == {"completed": FEW, "failed": 1}
    assert folded.started == min(each.started_at for each in records if each.node in ("again", "step"))
    inside = level(STRUCTURE, records, place_of("each.item.*"))
    assert told(inside) == [f"each.item.{index}" for index in range(FEW + 1)]
    assert [row.status for row in inside].count("failed") == 1


def test_a_pass_has_the_loops_activation_that_began_it() -> None:
    rows = level(STRUCTURE, run_of(2), place_of("each.item.1"))
    assert told(rows) == ["each.item.1/again.body.0", "each.item.1/again.body.1", "again#1.2"]
    assert [row.head.id if row.head else None for row in rows] == ["again#1.0", "again#1.1", "again#1.2"]
    assert told(level(STRUCTURE, run_of(2), place_of("each.item.1/again.body.0"))) == ["step#1.0"]


def test_many_passes_are_one_row_and_each_has_its_beginning() -> None:
    records = run_of(1, FEW + 5)
    assert told(level(STRUCTURE, records, place_of("each.item.0"))) == [
        "each.item.0/again.body.*",
        f"again#0.{FEW + 5}",
    ]
    passes = level(STRUCTURE, records, place_of("each.item.0/again.body.*"))
    assert [row.head.path if row.head else "" for row in passes] == [f"0.{index}" for index in range(FEW + 5)]


def test_what_is_open_shows_and_has_no_end() -> None:
    records = [*run_of(FEW + 2), act("step", "4.9", 500, "running")]
    (folded,) = [row for row in level(STRUCTURE, records, ()) if row.folded]
    assert folded.status == "running" and folded.ended is None


def test_a_branch_is_a_group_by_its_name() -> None:
    (row,) = level(STRUCTURE, [act("left", "", 1)], ())
    assert told([row]) == ["split.one"] and row.kind == "branches"
    assert told(level(STRUCTURE, [act("left", "", 1)], place_of("split.one"))) == ["left#"]


@pytest.mark.parametrize("items", [0, 1, FEW, FEW + 1, 40])
def test_every_activation_is_found_once(items: int) -> None:
    records = run_of(items, FEW + 1)

    def found(within: str) -> Iterator[str]:
        for row in level(STRUCTURE, records, place_of(within)):
            if row.head is not None:
                yield row.head.id
            if row.place:
                yield from found(text_of(row.place))

    everything = list(found(""))
    assert sorted(everything) == sorted(each.id for each in records)


def test_rows_have_an_order_of_their_own() -> None:
    rows = level(STRUCTURE, run_of(FEW), ())
    assert sorted(row.order for row in rows) == [row.order for row in rows]
    assert len({row.order for row in rows}) == len(rows)


@pytest.mark.parametrize("text", ["each.item.0", "a.b", "a.b.*", "a.b.12/c.d/e.f.*"])
def test_places_are_read_as_they_are_written(text: str) -> None:
    assert re.fullmatch(PLACE, text) and text_of(place_of(text)) == text


@pytest.mark.parametrize("text", ["a", "a.b.", "a.b.01", "a.b.-1", "a.b.c", "/a.b", "a.b/", "a.b.**"])
def test_no_places(text: str) -> None:
    assert not re.fullmatch(PLACE, text)
