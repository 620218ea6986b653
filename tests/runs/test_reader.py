"""The runs table, listed: pages that fit together, large values read back, fresh statuses (ARCHITECTURE §5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loopstep.runs import timeline
from loopstep.runs.errors import BadPageToken, RunNotFound
from loopstep.runs.records import Closing, Commit, NewRun, Outgoing
from loopstep.runs.schema import table_definition


def start(world: Any, number: int, plan: str = "p", **fields: Any) -> str:
    at = f"2026-03-01T12:{number // 2:02d}:00.000Z"  # two runs share each moment
    run = f"run{number}"
    known = {"version": 1, "machine": "m", "input": {"n": number}, "state": {}, "owner": "me"}
    world.store().create_run(NewRun(run=run, plan=plan, created_at=at, **(known | fields)))
    return run


def pages(fetch: Callable[[str | None], Any]) -> list[Any]:
    items, token = [], None
    while True:
        page = fetch(token)
        items += page.items
        token = page.next
        if token is None:
            return items


def runs(world: Any, limit: int, **wanted: Any) -> list[str]:
    reader = world.reader()
    return [each.head.run for each in pages(lambda token: reader.list_runs(**wanted, limit=limit, token=token))]


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_runs_are_listed_newest_first_and_each_once(world: Any, limit: int) -> None:
    names = [start(world, number, plan="odd" if number % 2 else "even") for number in range(9)]
    for run in names[:4]:
        world.store().cancel_run(run, "2026-03-01T13:00:00.000Z", "x")
    everything = runs(world, limit)
    assert sorted(everything) == names
    starts = [world.run(run)["startedAt"] for run in everything]
    assert starts == sorted(starts, reverse=True)
    assert runs(world, limit, plan="odd") == ["run7", "run5", "run3", "run1"]
    assert sorted(runs(world, limit, status="cancelled")) == names[:4]
    assert runs(world, limit, plan="even", status="cancelled") == ["run2", "run0"]
    assert runs(world, limit, plan="none") == []


def test_a_run_shows_its_values(world: Any) -> None:
    text = "x" * 50_000
    start(world, 1, input={"text": text})
    (page,) = world.reader().list_runs().items
    assert page.to_json() == {
        "runId": "run1",
        "plan": "p",
        "version": 1,
        "status": "running",
        "epoch": 1,
        "input": {"text": text},
        "output": None,
        "error": None,
        "startedAt": "2026-03-01T12:00:00.000Z",
        "endedAt": None,
        "startedBy": None,
        "cancelledBy": None,
        "redrivenBy": None,
    }


def test_an_index_that_lags_shows_no_wrong_status(world: Any) -> None:
    run = start(world, 1)
    reader = world.reader()
    original = reader._index

    def lagging(index: str, value: str, begin: Any, **more: Any) -> Any:
        yield from original(index, "running" if value == "succeeded" else value, begin, **more)

    reader._index = lagging
    assert reader.list_runs(status="succeeded").items == ()
    assert [each.head.run for each in reader.list_runs(status="running").items] == [run]


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_activations_and_messages_of_a_run(world: Any, limit: int) -> None:
    run = start(world, 1)
    other = start(world, 2)
    store = world.store()
    for number in range(5):
        at = f"2026-03-01T12:00:0{number}.000Z"
        output = {"text": "y" * 40_000} if number == 3 else {"n": number}
        for each in (run, other):
            closing = Closing(f"n{number}", "0.1", "completed", at, at, output=output)
            message = Outgoing(f"{number}{each}", "ops", f"text {number}", at)
            store.commit(Commit(each, 1, "me", closing, message=message))
    reader = world.reader()
    found = pages(lambda token: reader.list_activations(run, limit, token))
    assert [each.record.id for each in found] == [f"n{number}#0.1" for number in range(5)]
    assert found[3].to_json()["output"] == {"text": "y" * 40_000}
    messages = pages(lambda token: reader.list_messages(run, limit, token))
    assert [each.to_json()["text"] for each in messages] == [f"text {number}" for number in range(5)]
    to_ops = pages(lambda token: reader.list_messages_to("ops", limit, token))
    assert len(to_ops) == 10
    sent = [each.to_json()["sentAt"] for each in to_ops]
    assert sent == sorted(sent, reverse=True)
    assert {each.run for each in to_ops} == {run, other}
    assert reader.list_messages_to("nobody").items == ()


@pytest.mark.parametrize("few", [4, 0], ids=["whole", "by index"])
@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_activations_come_by_start_then_id(world: Any, limit: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "FEW", few)
    run, other = start(world, 1), start(world, 2)
    began = {"z": 1, "m": 2, "b": 3, "a": 3, "c": 3, "k": 4}
    for node, second in began.items():
        at = f"2026-03-01T12:00:0{second}.000Z"
        for each in (run, other):
            world.store().commit(Commit(each, 1, "me", Closing(node, "", "completed", at, at)))
    reader = world.reader()
    found = pages(lambda token: reader.list_activations(run, limit, token))
    assert [each.record.node for each in found] == ["z", "m", "a", "b", "c", "k"]


def test_a_listing_stays_with_the_way_it_began(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place of a wide run goes on through the index, without reading the run whole first."""
    monkeypatch.setattr(timeline, "FEW", 0)
    run = start(world, 1)
    for second in range(3):
        at = f"2026-03-01T12:00:0{second}.000Z"
        world.store().commit(Commit(run, 1, "me", Closing(f"n{second}", "", "completed", at, at)))
    first = world.reader().list_activations(run, 1)
    monkeypatch.setattr(timeline.Starts, "_whole", None)
    assert [each.record.node for each in world.reader().list_activations(run, 2, first.next).items] == ["n1", "n2"]


def test_the_shape_of_an_activation_and_a_message(world: Any) -> None:
    run = start(world, 1)
    at = "2026-03-01T12:00:00.000Z"
    closing = Closing("n", "2", "completed", at, at, port="completed", edge="e", source="m#2", arrived_by="d")
    world.store().commit(Commit(run, 1, "me", closing, message=Outgoing("id", "ops", "hi", at, "id")))
    assert world.activation("n#2", run) == {
        "id": "n#2",
        "nodeId": "n",
        "path": "2",
        "status": "completed",
        "attempts": 1,
        "input": None,
        "output": None,
        "error": None,
        "port": "completed",
        "edge": "e",
        "seen": None,
        "source": "m#2",
        "arrivedBy": "d",
        "startedAt": at,
        "endedAt": at,
        "tries": [],
    }
    assert world.reader().get_message(run, "id").to_json() == {
        "id": "id",
        "runId": run,
        "nodeId": "n",
        "activationId": "n#2",
        "scope": "ops",
        "text": "hi",
        "sentAt": at,
        "threadId": "id",
    }


def test_what_is_not_there(world: Any) -> None:
    start(world, 1)
    reader = world.reader()
    for read in (
        lambda: reader.get_run("none"),
        lambda: reader.get_head("none"),
        lambda: reader.get_state("none"),
        lambda: reader.get_activation("run1", "n#"),
        lambda: reader.get_message("run1", "m"),
        lambda: reader.list_activations("none"),
        lambda: reader.list_messages("none"),
    ):
        with pytest.raises(RunNotFound):
            read()
    assert reader.list_activations("run1").items == ()


def test_a_token_fits_only_the_listing_that_gave_it_out(world: Any) -> None:
    for number in range(3):
        start(world, number)
    reader = world.reader()
    token = reader.list_runs(plan="p", limit=1).next
    assert token is not None
    for read in (
        lambda: reader.list_runs(plan="q", token=token),
        lambda: reader.list_runs(token=token),
        lambda: reader.list_activations("run1", token=token),
        lambda: reader.list_messages_to("ops", token=token),
        lambda: reader.list_runs(plan="p", token="nonsense"),
        lambda: reader.list_runs(plan="p", token="ü"),
        lambda: reader.list_runs(plan="p", token="W10"),
    ):
        with pytest.raises(BadPageToken):
            read()


def test_the_template_and_the_schema_say_the_same(world: Any) -> None:
    built = world.dynamodb.describe_table(TableName="runs")["Table"]
    wanted = table_definition("runs")
    assert built["KeySchema"] == wanted["KeySchema"]
    by_name = {each["IndexName"]: each for each in built["GlobalSecondaryIndexes"]}
    assert by_name.keys() == {each["IndexName"] for each in wanted["GlobalSecondaryIndexes"]}
    for index in wanted["GlobalSecondaryIndexes"]:
        assert by_name[index["IndexName"]]["KeySchema"] == index["KeySchema"]
        assert by_name[index["IndexName"]]["Projection"] == index["Projection"]
