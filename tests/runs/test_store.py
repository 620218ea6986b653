"""The runs table, written: every refusal tells what was found, an own repeated write is a success (ARCHITECTURE §3)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from botocore.exceptions import ClientError
from runtime_world import repeating

from loopstep.runs.errors import (
    ActivationClosed,
    AttemptTaken,
    Contended,
    RunExists,
    RunNotFound,
    RunNotOpen,
    StateMoved,
)
from loopstep.runs.records import (
    Attempt,
    Closing,
    Commit,
    NewRun,
    Outgoing,
    RunEnd,
    RunError,
    StateChange,
)
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import TRIES
from loopstep.runs.values import Values

NOW = "2026-03-01T12:00:00.000Z"


def new(run: str = "r", **fields: Any) -> NewRun:
    known = {"plan": "p", "version": 1, "machine": "m", "input": {"a": 1}, "state": {"n": 0}, "owner": "me"}
    return NewRun(run=run, created_at=NOW, **(known | fields))


def closing(node: str = "n", **fields: Any) -> Closing:
    return Closing(node, "", "completed", NOW, NOW, port="completed", **fields)


def attempt(number: int, owner: str, epoch: int = 1) -> Attempt:
    return Attempt(number, epoch, NOW, owner)


# -- runs ----------------------------------------------------------------------------------------------------------


def test_a_run_is_created_once(world: Any) -> None:
    store = world.store()
    created = store.create_run(new(digest="d"))
    assert (created.new, created.head.status, created.head.epoch) == (True, "running", 1)
    assert store.create_run(new(digest="d")).new  # the same request again: its reply was lost
    other = store.create_run(new(owner="you", digest="d"))
    assert (other.new, other.head.started_at) == (False, NOW)
    with pytest.raises(RunExists) as told:
        store.create_run(new(owner="you", digest="else"))
    assert told.value.found.digest == "d"
    with pytest.raises(RunExists):
        store.create_run(new(owner="you", digest=""))


def test_a_lost_reply_to_a_creation(world: Any) -> None:
    assert world.store(repeating).create_run(new(fences=True)).new
    assert len(world.items()) == 18


def test_a_repeated_creation_resets_nothing(world: Any) -> None:
    store = world.store()
    store.create_run(new(digest="d"))
    store.cancel_run("r", NOW, "x")
    assert store.create_run(new(digest="d", owner="y")).head.status == "cancelled"


def test_a_held_run_begins_once(world: Any) -> None:
    store = world.store()
    store.create_run(new(status="created", fences=True))
    begun = store.begin_run("r", "2026-03-01T13:00:00.000Z")
    assert (begun.status, begun.started_at) == ("running", "2026-03-01T13:00:00.000Z")
    assert store.begin_run("r", "2026-03-01T14:00:00.000Z") == begun
    assert {item["fence"]["S"] for item in world.items() if "fence" in item} == {"running"}
    store.cancel_run("r", NOW, "x")
    with pytest.raises(RunNotOpen) as told:
        store.begin_run("r", NOW)
    assert told.value.status == "cancelled"


def test_cancel(world: Any) -> None:
    store = world.store()
    with pytest.raises(RunNotFound):
        store.cancel_run("r", NOW, "x")
    store.create_run(new())
    assert store.cancel_run("r", NOW, "x").status == "running"
    with pytest.raises(RunNotOpen) as told:
        store.cancel_run("r", NOW, "y")
    assert told.value.status == "cancelled"
    store.create_run(new("held", status="created"))
    assert store.cancel_run("held", NOW, "x").status == "created"
    assert world.run("held")["status"] == "cancelled"


@pytest.mark.parametrize("status", ["created", "running"])
def test_a_lost_reply_to_a_cancel(world: Any, status: str) -> None:
    world.store().create_run(new(status=status, fences=True))
    assert world.store(repeating).cancel_run("r", NOW, "x").status == status
    assert world.run("r")["status"] == "cancelled"


def test_a_held_run_that_is_started_while_it_is_cancelled(world: Any) -> None:
    world.store().create_run(new(status="created"))

    def starting(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            world.store().begin_run("r", NOW)
        return call()

    assert world.store(starting).cancel_run("r", NOW, "x").status == "running"
    assert world.run("r")["status"] == "cancelled"


def test_an_ended_run_ends_no_second_time(world: Any) -> None:
    store = world.store()
    head = store.create_run(new()).head
    store.end_run(head, RunEnd("succeeded", NOW, output={"o": 1}), "a")
    store.end_run(head, RunEnd("succeeded", NOW, output={"o": 1}), "a")
    with pytest.raises(RunNotOpen) as told:
        store.end_run(head, RunEnd("failed", NOW, error=RunError("x", "y")), "b")
    assert (told.value.status, told.value.epoch) == ("succeeded", 1)
    assert world.run("r")["output"] == {"o": 1}


# -- activations ---------------------------------------------------------------------------------------------------


def test_one_consistent_read_finds_everything(world: Any) -> None:
    calls: list[Any] = []

    def watching(name: str, arguments: Any, call: Any) -> Any:
        calls.append((name, arguments["RequestItems"]["runs"]["ConsistentRead"]))
        return call()

    store = world.store()
    store.create_run(new())
    store.commit(Commit("r", 1, "o", closing()))
    loaded = world.store(watching).load("r", ["n#", "other#", "n#"])
    assert calls == [("batch_get_item", True)]
    assert loaded.head is not None and loaded.head.plan == "p"
    assert loaded.state is not None and loaded.state.rev == 0
    assert list(loaded.activations) == ["n#"]
    empty = store.load("nobody", ["n#"])
    assert (empty.head, empty.state, empty.activations) == (None, None, {})


def test_keys_that_were_not_processed_are_asked_for_again(world: Any) -> None:
    world.store().create_run(new())
    seen: list[int] = []

    def first_alone(name: str, arguments: Any, call: Any) -> Any:
        table = arguments["RequestItems"]["runs"]
        seen.append(len(table["Keys"]))
        if len(table["Keys"]) == 1:
            return call()
        rest = table["Keys"][1:]
        table["Keys"] = table["Keys"][:1]
        return call() | {"UnprocessedKeys": {"runs": {"Keys": rest, "ConsistentRead": True}}}

    loaded = world.store(first_alone).load("r", ["n#"])
    assert loaded.head is not None and loaded.state is not None
    assert seen == [3, 2, 1]


def test_a_commit_is_all_or_nothing(world: Any) -> None:
    store = world.store()
    store.create_run(new())
    state = store.load("r", []).state
    store.commit(Commit("r", 1, "a", closing("first"), change=StateChange(state, {"n": 1})))
    message = Outgoing("id", "ops", "text", NOW)
    with pytest.raises(StateMoved):
        store.commit(Commit("r", 1, "b", closing("second"), change=StateChange(state, {"n": 2}), message=message))
    assert world.state("r") == {"n": 1}
    assert world.messages("r") == []
    assert [each["id"] for each in world.activations("r")] == ["first#"]


def test_a_closed_activation_is_found_by_the_second_commit(world: Any) -> None:
    store = world.store()
    store.create_run(new())
    store.commit(Commit("r", 1, "a", closing(output={"x": 1})))
    with pytest.raises(ActivationClosed) as told:
        store.commit(Commit("r", 1, "b", closing(output={"x": 2})))
    assert told.value.found.owner == "a"
    store.commit(Commit("r", 1, "a", closing(output={"x": 1})))
    assert world.activation("n#", "r")["output"] == {"x": 1}


@pytest.mark.parametrize("fence", [False, True])
def test_nothing_is_committed_to_a_run_that_is_not_open(world: Any, fence: bool) -> None:
    store = world.store()
    store.create_run(new(fences=True))
    with pytest.raises(RunNotOpen) as told:
        store.commit(Commit("r", 2, "a", closing(), fence=fence))
    assert (told.value.status, told.value.epoch) == ("running", 1)
    store.cancel_run("r", NOW, "x")
    for write in (
        lambda: store.commit(Commit("r", 1, "a", closing(), fence=fence)),
        lambda: store.record_attempt("r", 1, closing(), attempt(1, "a"), None, fence),
    ):
        with pytest.raises(RunNotOpen) as told:
            write()
        assert told.value.status == "cancelled"
    assert world.activations("r") == []


def test_a_region_commits_against_its_fence_and_not_the_head(world: Any) -> None:
    tables: list[str] = []

    def watching(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items":
            tables.extend(next(iter(each.values()))["Key"]["sk"]["S"] for each in arguments["TransactItems"])
        return call()

    world.store().create_run(new(fences=True))
    world.store(watching).commit(Commit("r", 1, "a", closing(), fence=True))
    assert [each.partition("#")[0] for each in tables] == ["act", "fence"]


def test_attempts_are_counted_under_their_epoch(world: Any) -> None:
    store = world.store()
    store.create_run(new())
    store.record_attempt("r", 1, closing(input={"i": 1}), attempt(1, "a"), None)
    store.record_attempt("r", 1, closing(), attempt(1, "a"), None)  # its reply was lost
    record = store.load("r", ["n#"]).activations["n#"]
    assert [each.owner for each in record.attempts] == ["a"]
    with pytest.raises(AttemptTaken):
        store.record_attempt("r", 1, closing(), attempt(1, "b"), None)
    store.record_attempt("r", 1, closing(), attempt(2, "b"), record)
    with pytest.raises(AttemptTaken):
        store.record_attempt("r", 1, closing(), attempt(2, "c"), record)
    record = store.load("r", ["n#"]).activations["n#"]
    assert [each.number for each in record.attempts_in(1)] == [1, 2]
    assert record.attempts_in(2) == ()
    ended = Attempt(2, 1, NOW, "b", ended_at=NOW, code="model.unavailable")
    store.finish_attempt("r", 1, record, ended)
    record = store.load("r", ["n#"]).activations["n#"]
    assert (record.attempts[0].code, record.attempts[1].code) == (None, "model.unavailable")
    store.commit(Commit("r", 1, "z", closing()))
    with pytest.raises(ActivationClosed):
        store.record_attempt("r", 1, closing(), attempt(3, "d"), record)
    with pytest.raises(ActivationClosed):
        store.finish_attempt("r", 1, record, ended)


def test_the_outcome_of_an_attempt_keeps_one_that_came_behind_it(world: Any) -> None:
    store = world.store()
    store.create_run(new())
    store.record_attempt("r", 1, closing(), attempt(1, "a"), None)
    first = store.load("r", ["n#"]).activations["n#"]
    store.record_attempt("r", 1, closing(), attempt(2, "b"), first)
    late = Attempt(1, 1, NOW, "a", ended_at=NOW)
    store.commit(Commit("r", 1, "a", closing(), first, late))
    record = store.load("r", ["n#"]).activations["n#"]
    assert [(each.owner, each.ended_at) for each in record.attempts] == [("a", NOW), ("b", None)]


# -- refusals that pass --------------------------------------------------------------------------------------------


class Refusing:
    """A client that refuses the first transactions with these reasons."""

    def __init__(self, client: Any, *errors: ClientError) -> None:
        self._client, self.errors, self.calls = client, list(errors), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def transact_write_items(self, **arguments: Any) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self._client.transact_write_items(**arguments)


def cancelled(*codes: str) -> ClientError:
    reasons = [{"Code": code} for code in codes]
    response: Any = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
    return ClientError(response, "TransactWriteItems")


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "TransactWriteItems")


def refusing(world: Any, *errors: ClientError) -> tuple[RunStore, Refusing, list[float]]:
    client, slept = Refusing(world.dynamodb, *errors), list[float]()
    values = Values(lambda: world.s3, "values")
    return RunStore(client, "runs", values, random.Random(1), slept.append), client, slept


@pytest.mark.parametrize(
    "error",
    [
        cancelled("TransactionConflict", "None"),
        cancelled("None", "ThrottlingError"),
        cancelled("ProvisionedThroughputExceeded", "TransactionConflict"),
        refused("ThrottlingException"),
        refused("TransactionInProgressException"),
        refused("ProvisionedThroughputExceededException"),
    ],
)
def test_contention_is_tried_again_with_jitter(world: Any, error: ClientError) -> None:
    store, client, slept = refusing(world, error, error)
    assert store.create_run(new()).new
    assert client.calls == 3
    assert len(set(slept)) == 2
    assert all(0 <= seconds <= 1 for seconds in slept)


def test_contention_that_does_not_pass_is_told(world: Any) -> None:
    store, client, _ = refusing(world, *[cancelled("TransactionConflict")] * TRIES)
    with pytest.raises(Contended):
        store.create_run(new())
    assert client.calls == TRIES
    assert world.items() == []


@pytest.mark.parametrize("error", [cancelled("ValidationError", "None"), refused("AccessDeniedException")])
def test_what_cannot_pass_is_not_tried_again(world: Any, error: ClientError) -> None:
    store, client, _ = refusing(world, error)
    with pytest.raises(ClientError):
        store.create_run(new())
    assert client.calls == 1
