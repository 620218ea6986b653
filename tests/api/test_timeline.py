"""Routes that look into a run: progress, timeline, state at a revision, activations by node, runs by time."""

from __future__ import annotations

from typing import Any

import pytest

from loopstep.runs.records import Closing, Commit, Failure, Outgoing, State, StateChange

ITEMS = [{"kind": "items", "nodeId": "each", "part": "item"}]
STRUCTURE = {"nodes": {"begin": {"enclosing": []}, "each": {"enclosing": []}, "step": {"enclosing": ITEMS}}}
STATE = {"n": {"type": "integer", "required": True, "default": 1}, "kept": {"type": "string", "secret": True}}
SECRETS = {"input": [], "output": [], "state": [["kept"]], "nodes": {"step": {"input": [["key"]], "output": []}}}
LATE = "2099-01-01T00:00:00.000Z"


def at(second: int) -> str:
    return f"2026-03-01T12:{second // 60:02d}:{second % 60:02d}.000Z"


@pytest.fixture
def run(api: Any) -> str:
    api.stack.store_version(state=STATE, structure=STRUCTURE, secrets=SECRETS)
    started = api("POST", "/plans/p/runs", {"input": {}})
    assert started.status == 202
    return str(started.body["runId"])


def commit(api: Any, run: str, node: str, path: str, second: int, **more: Any) -> None:
    change = more.pop("change", None)
    message: Outgoing | None = more.pop("message", None)
    fields = {"status": "completed", "port": "completed", "edge": f"{node}_on", **more}
    closing = Closing(node, path, started_at=at(second), ended_at=at(second + 1), **fields)
    api.running.runs.commit(Commit(run, 1, f"{node} {path}", closing, change=change, message=message))


def wide(api: Any, run: str, items: int) -> None:
    commit(api, run, "begin", "", 0)
    commit(api, run, "each", "", 1, port=None, edge=None)
    for item in range(items):
        failed = {"status": "failed", "port": "failed", "error": Failure("too.odd", "odd")} if item == 3 else {}
        values = {"input": {"n": item, "key": "k"}, "source": "each#", "arrived_by": "one"}
        commit(api, run, "step", str(item), 10 + item, **values, **failed)


def test_progress_counts_by_node_status_and_edge(api: Any, run: str) -> None:
    assert api("GET", f"/runs/{run}/progress").body == {
        "runId": run,
        "status": "running",
        "epoch": 1,
        "activations": 0,
        "complete": True,
        "revision": 0,
        "nodes": {},
        "edges": {},
    }
    wide(api, run, 5)
    told = api("GET", f"/runs/{run}/progress").body
    assert told["activations"] == 7
    assert told["nodes"] == {
        "begin": {"completed": 1},
        "each": {"completed": 1},
        "step": {"completed": 4, "failed": 1},
    }
    assert told["edges"] == {"begin_on": 1, "one": 5, "step_on": 5}


def test_a_timeline_is_read_a_level_at_a_time(api: Any, run: str) -> None:
    wide(api, run, 12)
    top = api("GET", f"/runs/{run}/timeline").body
    assert [(row["row"], row["nodeId"]) for row in top["items"]] == [
        ("activation", "begin"),
        ("activation", "each"),
        ("groups", "each"),
    ]
    folded = top["items"][2]
    assert folded["within"] == "each.item.*" and folded["counts"] == {"completed": 11, "failed": 1}
    assert (folded["startedAt"], folded["endedAt"], folded["activation"]) == (at(10), at(22), None)
    first = api("GET", f"/runs/{run}/timeline", query={"within": "each.item.*", "limit": "7"}).body
    assert [row["index"] for row in first["items"]] == list(range(7))
    query = {"within": "each.item.*", "limit": "7", "next": first["next"]}
    rest = api("GET", f"/runs/{run}/timeline", query=query).body
    assert [row["index"] for row in rest["items"]] == list(range(7, 12)) and rest["next"] is None
    failed = api("GET", f"/runs/{run}/timeline", query={"within": "each.item.*", "status": "failed"}).body
    assert [row["within"] for row in failed["items"]] == ["each.item.3"]
    (inside,) = api("GET", f"/runs/{run}/timeline", query={"within": "each.item.3"}).body["items"]
    activation = inside["activation"]
    assert (activation["id"], activation["error"]["code"]) == ("step#3", "too.odd")
    assert "input" not in activation and "k" not in str(activation["choice"])


@pytest.mark.parametrize("within", ["each", "each.item.x", "../each.item.1", "each.item.1/", "each.item.*" * 200])
def test_places_that_are_none(api: Any, run: str, within: str) -> None:
    refused = api("GET", f"/runs/{run}/timeline", query={"within": within})
    assert (refused.status, refused.body["code"]) == (400, "request.invalid")


def test_a_cursor_belongs_to_its_place(api: Any, run: str) -> None:
    wide(api, run, 12)
    page = api("GET", f"/runs/{run}/timeline", query={"within": "each.item.*", "limit": "2"}).body
    refused = api("GET", f"/runs/{run}/timeline", query={"next": page["next"]})
    assert (refused.status, refused.body["code"]) == (400, "request.cursor")


def test_activations_of_one_node_place_and_status(api: Any, run: str) -> None:
    wide(api, run, 12)

    def found(**query: str) -> Any:
        return api("GET", f"/runs/{run}/activations", query=query).body

    assert [each["id"] for each in found(nodeId="step", status="failed")["items"]] == ["step#3"]
    (one,) = found(nodeId="step", path="7")["items"]
    assert one["input"] == {"n": 7, "key": "***"}
    assert found(nodeId="step", path="70")["items"] == [] and found(nodeId="nobody")["items"] == []
    first = found(nodeId="step", limit="5")
    assert [each["path"] for each in first["items"]] == [[index] for index in range(5)]
    assert [each["path"] for each in found(nodeId="step", limit="100", next=first["next"])["items"]] == [
        [index] for index in range(5, 12)
    ]
    assert [each["id"] for each in found(status="failed")["items"]] == ["step#3"]


def test_the_state_at_each_revision(api: Any, run: str) -> None:
    def state(revision: int | None = None) -> Any:
        query = None if revision is None else {"revision": str(revision)}
        return api("GET", f"/runs/{run}/state", query=query)

    assert state().body == {"runId": run, "revision": 0, "latest": 0, "state": {"n": 1}, "change": None}
    commit(api, run, "begin", "", 0, change=StateChange(State(0, {}), {"n": 2}))
    commit(api, run, "step", "4", 9, change=StateChange(State(1, {}), {"kept": "s3cret", "n": 3}))
    told = state().body
    assert (told["revision"], told["latest"], told["state"]) == (2, 2, {"n": 3, "kept": "***"})
    assert told["change"] == {
        "activationId": "step#4",
        "nodeId": "step",
        "path": [4],
        "at": at(10),
        "fields": ["kept", "n"],
    }
    assert state(1).body["state"] == {"n": 2} and state(0).body["state"] == {"n": 1}
    refused = state(3)
    assert (refused.status, refused.body["code"], refused.body["latest"]) == (404, "state.revision_unknown", 2)


def test_an_unknown_run_has_none_of_it(api: Any) -> None:
    for route in ("progress", "timeline", "state", "activations"):
        query = {"nodeId": "step"} if route == "activations" else None
        answer = api("GET", f"/runs/none/{route}", query=query)
        assert (answer.status, answer.body["code"]) == (404, "run.unknown")


def test_runs_by_when_they_started(api: Any, run: str) -> None:
    started = api("GET", f"/runs/{run}").body["startedAt"]
    later = started.replace(".000Z", "Z")

    def found(**query: str) -> list[str]:
        answer = api("GET", "/runs", query=query)
        assert answer.status == 200
        return [each["runId"] for each in answer.body["items"]]

    assert found(since=later) == [run] == found(until=later) == found(since=later, until=later, plan="p")
    assert found(since=LATE) == [] == found(until="2020-01-01T00:00:00Z", status="running")
    for wrong in ("2026-02-31T00:00:00Z", "yesterday", "2026-01-01"):
        assert api("GET", "/runs", query={"since": wrong}).status == 400
