"""What a redrive reopens, from the records alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.runs.reopening import Reopening, find, records_of


def act(name: str, status: str = "completed", source: str | None = None, **more: str) -> dict[str, Any]:
    """An activation's item; a failed one left through `failed`, by no edge unless one is given."""
    fields = {"act_status": status, **({"source": source} if source else {})}
    if status == "failed":
        fields["port"] = "failed"
    if status == "completed":
        fields |= {"port": "completed", "edge": "e"}
    fields |= more
    return {"sk": {"S": f"act#{name}"}, **{key: {"S": value} for key, value in fields.items() if value}}


def race(join: str, cause: str = "", need: int = 0, total: int = 0) -> dict[str, Any]:
    """Decided by a failure (mode all), or of a join that takes the first `need` of `total` parts."""
    item: dict[str, Any] = {"sk": {"S": f"race#{join}"}, "taken": {"N": "0"}, "lost": {"N": "1"}}
    if need:
        item |= {"need": {"N": str(need)}, "total": {"N": str(total)}}
    if cause:
        item["failure"] = {"S": json.dumps({"code": "x", "message": "y", "activation": cause})}
    return item


def arrival(join: str, part: str, **more: str) -> dict[str, Any]:
    return {"sk": {"S": f"arr#{join}#{part}"}, **{key: {"S": value} for key, value in more.items()}}


def found(error: str, *items: dict[str, Any]) -> Reopening | None:
    return find(records_of(items), error)


def opened(error: str, *items: dict[str, Any]) -> set[str] | None:
    reopening = found(error, *items)
    return None if reopening is None else set(reopening.activations)


def test_a_failure_that_nothing_handled() -> None:
    assert opened("b#", act("a#"), act("b#", "failed", "a#")) == {"b#"}


def test_the_last_failure_before_a_failed_end() -> None:
    line = [
        act("a#", "failed", edge="handled"),
        act("b#", source="a#"),
        act("c#", "failed", "b#", edge="handled"),
        act("d#", source="c#"),
        act("end#", "completed", "d#", port="", edge=""),
    ]
    assert opened("end#", *line) == {"c#", "d#", "end#"}
    assert opened("end#", *line[1:2], act("d#", source="b#"), act("end#", source="d#", port="", edge="")) is None


def test_a_wait_that_was_over_is_a_failure_too() -> None:
    asked = act("ask#", "failed", port="timed_out", edge="late")
    assert opened("end#", asked, act("end#", source="ask#", port="", edge="")) == {"ask#", "end#"}


def test_lost_replies_are_no_failure_to_reopen() -> None:
    assert found("a#", act("a#")) == Reopening()


def test_the_cause_inside_a_region_of_mode_all() -> None:
    items = [act("split#"), act("l#", source="split#"), act("r#", "failed", "split#"), act("join#", "failed", "split#")]
    reopening = found("join#", *items, race("join#", "r#"), arrival("join#", "l", source="l#", value="{}"))
    assert reopening is not None
    assert set(reopening.activations) == {"r#", "join#"}
    assert (reopening.arrivals, reopening.races) == ((), {"join#": (0, 0)})


def test_what_the_lost_parts_of_a_race_rest_on() -> None:
    items = [
        act("split#"),
        act("r#0", "failed", "split#"),
        act("r#1", source="split#"),
        act("join#", "failed", "split#"),
    ]
    counted = [
        race("join#", need=2, total=2),
        arrival("join#", "000000", why="{}", lost_by="r#0"),
        arrival("join#", "000001", source="r#1", value="{}", slot="0"),
    ]
    reopening = found("join#", *items, *counted)
    assert reopening is not None
    assert set(reopening.activations) == {"r#0", "join#"}
    assert [each.key for each in reopening.arrivals] == ["arr#join##000000"]
    assert reopening.races == {"join#": (1, 0)}


def test_a_part_that_failed_at_the_moment_of_the_decision_is_reopened_too() -> None:
    """It committed its failure, found the race decided, and was not counted."""
    items = [act("split#"), act("r#0", "failed", "split#"), act("r#1", "failed", "split#")]
    counted = [race("join#", need=2, total=2), arrival("join#", "000000", why="{}", lost_by="r#0")]
    assert opened("join#", *items, act("join#", "failed", "split#"), *counted) == {"r#0", "r#1", "join#"}


def test_a_part_that_an_inner_race_could_lose_stays_lost() -> None:
    inner = [
        act("inner#0", source="split#"),
        act("x#0", "failed", "inner#0"),
        act("y#0", source="inner#0"),
        act("near#0", source="inner#0"),
        race("near#0", need=1, total=2),
        arrival("near#0", "x", why="{}", lost_by="x#0"),
        arrival("near#0", "y", source="y#0", value="{}", slot="0"),
        act("z#0", "failed", "near#0"),
    ]
    outer = [
        act("split#"),
        act("far#", "failed", "split#"),
        race("far#", need=1, total=1),
        arrival("far#", "0", why="{}", lost_by="z#0"),
    ]
    assert opened("far#", *outer, *inner) == {"far#", "z#0"}


def test_a_failed_end_in_a_part_leads_to_the_failure_before_it() -> None:
    parts = [
        act("split#"),
        act("a#", "failed", "split#", edge="handled"),
        act("no#", "failed", "a#", port=""),
        act("join#", "failed", "split#"),
    ]
    assert opened("join#", *parts, race("join#", "no#")) == {"a#", "no#", "join#"}
    planned = [act("split#"), act("no#", "failed", "split#", port=""), act("join#", "failed", "split#")]
    assert opened("join#", *planned, race("join#", "no#")) is None


def test_a_failure_before_the_region_reopens_all_of_it() -> None:
    items = [
        act("try#", "failed", edge="handled"),
        act("split#", source="try#"),
        act("l#", source="split#"),
        act("no#", "failed", "split#", port=""),
        act("join#", "failed", "split#"),
    ]
    reopening = found("join#", *items, race("join#", "no#"), arrival("join#", "l", source="l#", value="{}"))
    assert reopening is not None
    assert set(reopening.activations) == {"try#", "split#", "l#", "no#", "join#"}
    assert len(reopening.arrivals) == 1 and reopening.races == {"join#": (0, 0)}


def test_what_was_reopened_already_is_found_again() -> None:
    """Interrupted between two transactions: the records are as reopened, arrivals and races not all."""
    reopened = act("r#0", "reopened", "split#", left="failed")
    join = act("join#", "reopened", "split#", left="failed")
    assert opened("join#", act("split#"), reopened, join, race("join#", need=1, total=1)) == {"join#", "r#0"}
    end = act("end#", "reopened", "c#")
    assert opened("end#", act("c#", "reopened", left="failed"), end) == {"c#", "end#"}


# -- joins that take the first ones: a redrive must be able to bring as many as they need ------------------------------


def race_of(need: int, total: int, *parts: str) -> list[dict[str, Any]]:
    """A failed join over items, whose parts are: `arrived`, `failed` (reopenable), `planned` (a failed end behind
    nothing that failed), `open` (cut off), `late` (a failed end that came with the decision), `none` (never begun),
    `replies` (completed, its replies lost), `refused` (what it brought is no input of the join).
    """
    items = [act("split#"), act("join#", "failed", "split#"), race("join#", need=need, total=total)]
    for number, kind in enumerate(parts):
        node, part = f"n#{number}", f"{number:06d}"
        if kind in ("arrived", "replies", "refused"):
            items.append(act(node, source="split#"))
        if kind in ("planned", "late"):
            items.append(act(node, "failed", "split#", port=""))
        if kind in ("failed", "open"):
            items.append(
                act(
                    node, "failed" if kind == "failed" else "waiting", "split#", port="" if kind == "open" else "failed"
                )
            )
        if kind == "arrived":
            items.append(arrival("join#", part, source=node, value="{}", slot="0"))
        why = {"replies": "node.crashed", "refused": "input.contract"}.get(kind, "x")
        if kind in ("failed", "planned", "replies", "refused"):
            items.append(arrival("join#", part, why=json.dumps({"code": why}), lost_by=node))
    return items


@pytest.mark.parametrize(
    ("need", "parts", "wanted"),
    [
        (2, ["planned", "planned", "planned", "open"], None),
        (1, ["planned", "planned", "planned", "open"], {"join#"}),
        (2, ["arrived", "planned", "planned"], None),
        (2, ["arrived", "planned", "none"], {"join#"}),
        (2, ["planned", "planned", "failed", "open"], {"join#", "n#2"}),
        (3, ["planned", "planned", "failed", "open"], None),
        (2, ["planned", "planned", "late", "open"], None),
        (1, ["planned", "planned", "planned", "late"], None),
        (1, ["planned", "refused"], None),
        (1, ["planned", "replies"], {"join#"}),
        (2, ["failed", "failed", "failed"], {"join#", "n#0", "n#1", "n#2"}),
        (2, [], None),
    ],
)
def test_a_join_is_reopened_where_enough_can_still_arrive(need: int, parts: list[str], wanted: set[str] | None) -> None:
    assert opened("join#", *race_of(need, len(parts), *parts)) == wanted


def test_what_cannot_arrive_stays_counted() -> None:
    reopening = found("join#", *race_of(2, 4, "planned", "failed", "replies", "arrived"))
    assert reopening is not None
    assert reopening.races == {"join#": (1, 1)}
    assert {each.key[-1] for each in reopening.arrivals} == {"1", "2"}


def test_a_join_with_enough_arrivals_failed_by_itself() -> None:
    """Its merge did: the race is decided and stays so, or a loser could still take a slot."""
    reopening = found("join#", *race_of(1, 3, "arrived", "failed", "open"))
    assert reopening == Reopening(("join#",))


def test_a_hopeless_join_leads_to_the_failure_before_its_region() -> None:
    items = race_of(2, 2, "planned", "arrived")
    items[0] = act("split#", source="try#")
    reopening = found("join#", act("try#", "failed", edge="handled"), *items)
    assert reopening is not None
    assert set(reopening.activations) == {"try#", "split#", "n#0", "n#1", "join#"}
    assert reopening.races == {"join#": (0, 0)}


def test_an_inner_join_that_stays_hopeless_loses_its_part_for_good() -> None:
    inner = [act("in#0", source="split#"), act("near#0", "failed", "in#0"), race("near#0", need=1, total=1)]
    inner += [act("no#0", "failed", "in#0", port=""), arrival("near#0", "l", why='{"code": "x"}', lost_by="no#0")]
    outer = [act("split#"), act("far#", "failed", "split#"), race("far#", need=1, total=1)]
    outer += [arrival("far#", "000000", why='{"code": "x"}', lost_by="near#0")]
    assert opened("far#", *outer, *inner) is None
    assert opened(
        "far#", *outer, act("try#0", "failed", "split#", edge="h"), act("in#0", source="try#0"), *inner[1:]
    ) == {"far#", "try#0", "in#0", "near#0", "no#0"}
