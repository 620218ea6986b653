"""Reading: waiting for an end, secrets hidden, what a reply cannot carry named, lists paged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopstep.runs.records import Activation, Closing, Commit, Head, Outgoing, RunEnd
from loopstep.runs.views import ActivationView, seen_at
from loopstep.services import shown_values
from loopstep.services.read_run import get_run, list_activations, list_messages, list_runs
from loopstep.services.refusals import Malformed, Unknown
from loopstep.services.start_run import StartRequest, start_run

LATER = "2026-01-02T00:00:00.000Z"
ANY = {"a": {"type": "any"}, "token": {"type": "string", "secret": True}}
SECRETS = {
    "input": [["token"]],
    "output": [["token"]],
    "state": [["kept"]],
    "nodes": {"n": {"input": [["token"]], "output": []}},
}


@pytest.fixture
def plan(aws: Any) -> Any:
    aws.store_version(input=ANY, output=ANY, secrets=SECRETS)
    return aws


def end(aws: Any, head: Any, output: Any) -> None:
    aws.running().runs.end_run(head, RunEnd("succeeded", LATER, output=output), "end")


def activate(aws: Any, head: Any, node: str = "n", path: str = "", **values: Any) -> None:
    message = values.pop("message", None)
    closing = Closing(node, path, "completed", LATER, LATER, port="completed", edge="e", **values)
    aws.running().runs.commit(Commit(head.run, 1, f"owner {node} {path}", closing, message=message))


def test_a_run_as_architecture_has_it(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"a": 1}))
    shown = get_run(plan.running(), head.run)
    assert shown["status"] == "running" and shown["output"] is None and shown["error"] is None
    end(plan, head, {"a": [1, {"b": None}]})
    shown = get_run(plan.running(), head.run)
    wanted = {"runId", "plan", "version", "status", "input", "output", "error", "startedAt", "endedAt"}
    assert wanted <= shown.keys()
    assert (shown["input"], shown["output"]) == ({"a": 1}, {"a": [1, {"b": None}]})
    assert shown["endedAt"] == LATER


WAITS = "2026-01-01T00:00:30.000Z"


@pytest.mark.parametrize(
    ("now", "over", "wanted"),
    [
        ("2026-01-01T00:00:29.999Z", None, ("waiting", None, None)),
        ("2026-01-01T00:00:30.000Z", None, ("completed", WAITS, "completed")),
        ("2026-01-01T01:00:00.000Z", "2026-01-01T00:00:10.000Z", ("ended", "2026-01-01T00:00:10.000Z", None)),
        ("2026-01-01T01:00:00.000Z", "2026-01-01T00:40:00.000Z", ("completed", WAITS, "completed")),
    ],
)
def test_a_wait_is_over_when_its_time_has_come(now: str, over: str | None, wanted: tuple[str | None, ...]) -> None:
    """Its record says at once where it will go on to; a run that ended before ended it."""
    began = "2026-01-01T00:00:00.000Z"
    record = Activation("w", "", "completed", 1, began, began, port="completed", edge="e", until=WAITS)
    head = Head("r", "p", 1, "failed" if over else "running", 1, began, "{}", ended_at=over)
    shown = seen_at(ActivationView(record), head, now).to_json()
    assert (shown["status"], shown["endedAt"], shown["port"]) == wanted


@pytest.mark.parametrize("status", ["running", "waiting"])
def test_what_was_open_ends_with_its_run(status: str) -> None:
    began, over = "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:10.000Z"
    record = Activation("n", "", status, 1, began, until="2026-01-09T00:00:00.000Z" if status == "waiting" else None)
    running = Head("r", "p", 1, "running", 1, began, "{}")
    assert seen_at(ActivationView(record), running, over).record == record
    shown = seen_at(ActivationView(record), running._replace(status="cancelled", ended_at=over), LATER).to_json()
    assert (shown["status"], shown["endedAt"]) == ("ended", over)


def test_an_unknown_run(plan: Any) -> None:
    with pytest.raises(Unknown):
        get_run(plan.running(), "0" * 32)
    with pytest.raises(Unknown):
        list_activations(plan.running(), "0" * 32, 0, 10, None)


def test_waiting_ends_with_the_time(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    assert get_run(plan.running(), head.run, 5)["status"] == "running"
    assert sum(plan.slept) == pytest.approx(5)
    plan.slept.clear()
    get_run(plan.running(), head.run, 500)
    assert sum(plan.slept) == pytest.approx(20)
    assert max(plan.slept) <= 1 and len(plan.slept) < 40


def test_waiting_ends_with_the_run(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    running = plan.running()

    def sleep(seconds: float) -> None:
        plan.slept.append(seconds)
        if len(plan.slept) == 3:
            end(plan, head, {})

    object.__setattr__(running, "sleep", sleep)
    assert get_run(running, head.run, 20)["status"] == "succeeded"
    assert len(plan.slept) == 3


def test_an_ended_run_is_not_waited_for(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    end(plan, head, {})
    get_run(plan.running(), head.run, 20)
    assert plan.slept == []


def test_secrets_are_hidden(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"a": 1, "token": "canary"}))
    activate(plan, head, input={"token": "canary", "a": 2})
    end(plan, head, {"token": "canary result"})
    one = get_run(plan.running(), head.run)
    assert one["input"] == {"a": 1, "token": "***"}
    assert one["output"] == {"token": "canary result"}  # whoever may read the run gets its result
    listed = list_runs(plan.running(), None, None, 10, None)
    activations = list_activations(plan.running(), head.run, 0, 10, None)
    assert "canary" not in json.dumps([listed, activations])
    assert activations["items"][0]["input"] == {"token": "***", "a": 2}


def test_activations(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p"))
    activate(plan, head, "each", "0.12", output={"x": 1})
    activate(plan, head, "n", "")
    items = list_activations(plan.running(), head.run, 0, 10, None)["items"]
    assert [(item["id"], item["nodeId"], item["path"]) for item in items] == [
        ("each#0.12", "each", [0, 12]),
        ("n#", "n", []),
    ]
    wanted = {"id", "nodeId", "path", "status", "attempts", "input", "output", "error", "port", "edge"}
    assert all(wanted | {"startedAt", "endedAt"} <= item.keys() for item in items)


def test_activations_have_their_place_and_their_choice(aws: Any) -> None:
    """As the stored version's structure tells; operands that read a secret are hidden, in `seen` as well."""
    enclosing = [{"kind": "loop", "nodeId": "row", "part": "body"}]
    operands = [{"text": "input.n"}, {"text": "input.pin > 3", "secret": True}]
    edges = [["e", "input.n > 1 && input.pin > 3", ["&&", [">", ["seen", 0], 1], ["seen", 1]]], ["f", None, None]]
    node = {"enclosing": enclosing, "ports": {"completed": {"operands": operands, "edges": edges}}}
    aws.store_version(input=ANY, secrets=SECRETS, structure={"nodes": {"n": node}})
    head = start_run(aws.running(), StartRequest("p"))
    activate(aws, head, "n", "2", seen=[5, True])
    item = list_activations(aws.running(), head.run, 0, 10, None)["items"][0]
    assert item["enclosing"] == [{"kind": "loop", "nodeId": "row", "part": "body", "index": 2}]
    assert item["seen"] == [5, "***"]
    assert item["choice"] == {
        "port": "completed",
        "while": None,
        "operands": [{"text": "input.n", "value": 5}, {"text": "input.pin > 3", "value": "***"}],
        "edges": [
            {"edge": "e", "when": "input.n > 1 && input.pin > 3", "holds": True},
            {"edge": "f", "when": None, "holds": None},
        ],
    }


def test_lists_are_paged_and_cursors_checked(plan: Any) -> None:
    heads = [start_run(plan.running(), StartRequest("p")) for _ in range(5)]
    seen: list[str] = []
    cursor = None
    while True:
        page = list_runs(plan.running(), "p", None, 2, cursor)
        assert len(page["items"]) <= 2
        seen += [item["runId"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == [head.run for head in reversed(heads)]
    first = list_runs(plan.running(), "p", None, 2, None)["next"]
    for foreign in ("nonsense", "", first + "x", "é", "bnVsbA"):
        with pytest.raises(Malformed):
            list_runs(plan.running(), "p", None, 2, foreign)
    with pytest.raises(Malformed):
        list_runs(plan.running(), None, "running", 2, first)
    with pytest.raises(Malformed):
        list_activations(plan.running(), heads[0].run, 0, 2, first)


def test_runs_by_plan_and_status(plan: Any) -> None:
    plan.store_version("q")
    first = start_run(plan.running(), StartRequest("p"))
    second = start_run(plan.running(), StartRequest("q"))
    end(plan, second, {})

    def listed(name: str | None, status: str | None) -> list[str]:
        return [item["runId"] for item in list_runs(plan.running(), name, status, 10, None)["items"]]

    assert listed(None, None) == [second.run, first.run]
    assert listed("q", None) == [second.run] == listed(None, "succeeded") == listed("q", "succeeded")
    assert listed("q", "running") == []
    assert listed("none", None) == []


def test_messages_by_scope_and_run(plan: Any) -> None:
    first, second = (start_run(plan.running(), StartRequest("p")) for _ in range(2))
    for head, node, scope in [(first, "a", "ops"), (first, "b", "sales"), (second, "a", "ops")]:
        message = Outgoing(f"m-{head.run}-{node}", scope, f"hello {scope}", LATER)
        activate(plan, head, node, message=message)

    def texts(scope: str | None, run: str | None, limit: int = 10) -> list[str]:
        return [item["text"] for item in list_messages(plan.running(), scope, run, limit, None)["items"]]

    assert texts(None, first.run) == ["hello ops", "hello sales"]
    assert texts("sales", first.run) == ["hello sales"]
    assert texts("sales", first.run, 1) == ["hello sales"]
    assert texts("ops", None) == ["hello ops"] * 2
    assert texts(None, "0" * 32) == []
    with pytest.raises(Malformed):
        list_messages(plan.running(), None, None, 10, None)


def test_large_values_come_along(plan: Any) -> None:
    large = "好" * 400_000
    head = start_run(plan.running(), StartRequest("p", {"a": large}))
    assert get_run(plan.running(), head.run)["input"] == {"a": large}


def test_what_a_reply_cannot_carry_is_named_with_a_link(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"a": "x" * 3_000_000}))
    end(plan, head, {"a": "y" * 4_000_000})
    shown = get_run(plan.running(), head.run)
    assert shown["input"]["a"] and shown["output"] is None
    assert shown["omitted"]["output"]["bytes"] == 4_000_008
    key = shown["omitted"]["output"]["url"].removeprefix("https://link/")
    stored = plan.s3.get_object(Bucket="values", Key=key)["Body"].read()
    assert json.loads(stored) == {"a": "y" * 4_000_000}


def test_a_reply_is_measured_as_it_is_escaped(plan: Any) -> None:
    head = start_run(plan.running(), StartRequest("p", {"a": '"' * 2_000_000}))
    shown = get_run(plan.running(), head.run)
    assert shown["input"] is None and shown["omitted"]["input"]["bytes"] == 4_000_008
    assert shown["omitted"]["input"]["url"] is None  # its contract has a secret


def test_pages_are_as_long_as_a_reply_can_carry(plan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        start_run(plan.running(), StartRequest("p", {"a": str(number) * 20_000}))
    monkeypatch.setattr("loopstep.services.showing.REPLY_BYTES", 50_000)
    page = list_runs(plan.running(), "p", None, 6, None)
    assert len(page["items"]) == 2
    seen = page["items"]
    while page["next"]:
        page = list_runs(plan.running(), "p", None, 6, page["next"])
        seen += page["items"]
    assert [item["input"]["a"][0] for item in seen] == list("543210")


def test_the_budget_of_one_view(monkeypatch: pytest.MonkeyPatch) -> None:
    from loopstep.runs.values import Pointer

    monkeypatch.setattr(shown_values, "ONE_VIEW_BYTES", 10)
    pointers = {Pointer("a", 4), Pointer("b", 6), Pointer("c", 7)}
    assert shown_values._beyond(pointers) == {Pointer("c", 7)}
