"""The same POST under the same Idempotency-Key is done once and answered the same again."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from loopstep.runs.replies import INLINE_BYTES, LEASE_SECONDS, PARTITION, Reply
from loopstep.services.refusals import Unavailable


@pytest.fixture
def run(api: Any) -> str:
    api.stack.store_version("p")
    return str(api("POST", "/plans/p/runs", {}).body["runId"])


def kept(api: Any) -> list[Any]:
    items = api.stack.dynamodb.scan(TableName="runs")["Items"]
    return [item for item in items if item["run"]["S"].startswith(PARTITION)]


def counted(monkeypatch: pytest.MonkeyPatch, act: Any = None) -> list[str]:
    """Cancelling, counted; `act` in its place."""
    from loopstep.services import cancel_run

    done: list[str] = []
    original = cancel_run.cancel_run

    def counting(running: Any, run: str, *more: Any) -> Any:
        done.append(run)
        return original(running, run, *more) if act is None else act()

    monkeypatch.setattr(cancel_run, "cancel_run", counting)
    return done


def test_the_same_again(api: Any, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = counted(monkeypatch)
    first = api("POST", f"/runs/{run}/cancel", Idempotency_Key="k 1")
    again = api("POST", f"/runs/{run}/cancel", Idempotency_Key="k 1")
    assert (first.status, first.body["status"]) == (200, "cancelled")
    assert (again.status, again.body) == (first.status, first.body)
    assert ("Idempotent-Replayed" in first.headers, again.headers["Idempotent-Replayed"]) == (False, "true")
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert len(done) == 1
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k 2").status == 200 and len(done) == 2
    assert api("POST", f"/runs/{run}/cancel").status == 200 and len(done) == 3


def test_a_refusal_is_the_same_again_too(api: Any, run: str) -> None:
    first = api("POST", f"/runs/{run}/redrive", Idempotency_Key="k")
    assert (first.status, first.body["code"]) == (409, "redrive.nothing")
    api("POST", f"/runs/{run}/cancel")
    again = api("POST", f"/runs/{run}/redrive", Idempotency_Key="k")
    assert (again.status, again.body, again.headers["Content-Type"]) == (409, first.body, "application/problem+json")
    assert again.headers["Idempotent-Replayed"] == "true"


def test_another_request_under_the_key(api: Any) -> None:
    body = {"documents": [{"id": "a.md", "text": "x"}]}
    assert api("PUT", "/sources/s", {"kind": "DOCUMENT", "name": "S"}).status == 201
    assert api("POST", "/sources/s/documents", body, Idempotency_Key="k").status == 200
    for other in ({"documents": [{"id": "a.md", "text": "y"}]}, {**body, "more": 1}):
        refused = api("POST", "/sources/s/documents", other, Idempotency_Key="k")
        assert (refused.status, refused.body["code"]) == (409, "idempotency.conflict")
    refused = api("POST", "/sources/s/documents", body, query={"a": "b"}, Idempotency_Key="k")
    assert refused.body["code"] == "idempotency.conflict"
    assert api("GET", "/sources/s/documents/a.md").body["text"] == "x"


def test_a_key_is_its_callers_and_its_addresss(api: Any, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = counted(monkeypatch)
    other = type(api)(api.stack, identity={"apiKeyId": "other"}, others=("operator",))
    other_run = api("POST", "/plans/p/runs", {}).body["runId"]
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200
    assert other("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200
    assert api("POST", f"/runs/{other_run}/cancel", Idempotency_Key="k").status == 200
    assert done == [run, run, other_run]
    starts = [each("POST", "/plans/p/runs", {}, Idempotency_Key="k").body["runId"] for each in (api, other, api)]
    assert starts[0] == starts[2] != starts[1]


def test_who_may_no_more_is_not_answered_again(api: Any, run: str) -> None:
    mine = type(api)(api.stack, identity={"apiKeyId": "mine"}, others=("operator",))
    assert mine("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200
    less = type(api)(api.stack, identity={"apiKeyId": "mine"}, others=("viewer",))
    refused = less("POST", f"/runs/{run}/cancel", Idempotency_Key="k")
    assert (refused.status, refused.body["code"]) == (403, "access.denied")


def test_while_the_first_goes_on(api: Any, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight at the same time, the first of which takes until the others have been answered."""
    going, over = threading.Event(), threading.Event()

    def slow() -> None:
        going.set()
        assert over.wait(30)

    done = counted(monkeypatch, slow)
    first: list[Any] = []
    thread = threading.Thread(
        target=lambda: first.append(type(api)(api.stack)("POST", f"/runs/{run}/cancel", Idempotency_Key="k"))
    )
    thread.start()
    assert going.wait(30)
    try:
        others = [type(api)(api.stack)("POST", f"/runs/{run}/cancel", Idempotency_Key="k") for _ in range(7)]
    finally:
        over.set()
        thread.join()
    assert {(each.status, each.body["code"], each.headers["Retry-After"]) for each in others} == {
        (409, "idempotency.in_progress", "1")
    }
    assert (first[0].status, len(done)) == (200, 1)
    again = api("POST", f"/runs/{run}/cancel", Idempotency_Key="k")
    assert (again.status, again.body, len(done)) == (200, first[0].body, 1)


@pytest.mark.parametrize(
    ("fault", "status"),
    [(RuntimeError("x"), 500), (Unavailable("engine.machine_missing", "It is not there."), 503)],
)
def test_a_fault_leaves_the_key_free(
    api: Any, run: str, monkeypatch: pytest.MonkeyPatch, fault: Exception, status: int
) -> None:
    def fails() -> None:
        raise fault

    with monkeypatch.context() as broken:
        counted(broken, fails)
        assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == status
        assert kept(api) == []
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200


def test_what_cannot_be_read_leaves_the_key_free(api: Any) -> None:
    for raw, status in (("{", 400), ("x" * 1_100_000, 413)):
        assert api("POST", "/approvals/x", raw=raw, Idempotency_Key="k").status == status
    assert api("POST", "/approvals/x", {"decision": "approved", "by": "a"}, Idempotency_Key="k").status == 404


def test_a_function_that_died_blocks_for_its_lease(api: Any, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Died(BaseException):
        pass

    def dies() -> None:
        raise Died

    with monkeypatch.context() as broken:
        counted(broken, dies)
        with pytest.raises(Died):
            api("POST", f"/runs/{run}/cancel", Idempotency_Key="k")
    api.stack.seconds += LEASE_SECONDS - 1
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").body["code"] == "idempotency.in_progress"
    api.stack.seconds += 1
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200


def test_answers_expire(api: Any, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = counted(monkeypatch)
    api("POST", f"/runs/{run}/cancel", Idempotency_Key="k")
    assert int(kept(api)[0]["expires_at"]["N"]) == api.stack.seconds + 3600
    api.stack.seconds += 3599
    api("POST", f"/runs/{run}/cancel", Idempotency_Key="k")
    assert len(done) == 1
    api.stack.seconds += 1
    assert api("POST", f"/runs/{run}/cancel", Idempotency_Key="k").status == 200
    assert len(done) == 2


@pytest.mark.parametrize("path", ["/runs/r/cancel", "/approvals/a", "/plans/check", "/plans/p/runs", "/canvas/import"])
@pytest.mark.parametrize("key", ["", " ", "x" * 256, "ключ", "a ", "a\nb"])
def test_keys_of_another_form(api: Any, path: str, key: str) -> None:
    refused = api("POST", path, {}, Idempotency_Key=key)
    assert (refused.status, refused.body["code"]) == (400, "request.invalid")


def test_where_nothing_is_done_nothing_is_kept(api: Any) -> None:
    for raw in ("a: 1", "b: 2"):
        assert api("POST", "/plans/check", raw=raw, Idempotency_Key="k").status == 200
    assert api("PUT", "/plans/greet", raw=api.stack.document().decode(), Idempotency_Key="k").status == 201
    assert api("GET", "/plans/greet", Idempotency_Key="k").status == 200
    assert kept(api) == []


def test_a_started_run_is_answered_as_at_first(api: Any, run: str) -> None:
    first = api("POST", "/plans/p/runs", {}, Idempotency_Key="k")
    api("POST", f"/runs/{first.body['runId']}/cancel")
    again = api("POST", "/plans/p/runs", {}, Idempotency_Key="k")
    assert (again.status, again.body, again.headers["Idempotent-Replayed"]) == (202, first.body, "true")
    held = api("POST", "/plans/p/runs", {"hold": True}, Idempotency_Key="h")
    api("POST", f"/runs/{held.body['runId']}/start")
    again = api("POST", "/plans/p/runs", {"hold": True}, Idempotency_Key="h")
    assert (again.status, again.body) == (201, held.body)


@pytest.mark.parametrize("count", [10, INLINE_BYTES * 8])
def test_large_answers_lie_in_the_bucket(aws: Any, count: int) -> None:
    import random

    replies = aws.repeating().replies
    body = json.dumps({"a": random.Random(1).randbytes(count // 2).hex(), "b": "好"}, ensure_ascii=False)
    assert replies.claim("a" * 64, "r", "me") is None
    replies.keep("a" * 64, "me", Reply(202, "application/json", body))
    found = replies.claim("a" * 64, "r", "you")
    assert found is not None and found.reply == Reply(202, "application/json", body)
    assert len(aws.s3.list_objects_v2(Bucket="values").get("Contents", [])) == (count > INLINE_BYTES)


def test_a_claim_whose_reply_was_lost_is_ones_own(aws: Any) -> None:
    replies = aws.repeating().replies
    assert replies.claim("a", "r", "me") is None
    assert replies.claim("a", "r", "me") is None
    found = replies.claim("a", "r", "you")
    assert found is not None and found.reply is None
    replies.free("a", "you")
    assert replies.claim("a", "r", "you") is not None, "only its owner gives a claim back"
    replies.keep("a", "you", Reply(200, "application/json", "{}"))
    assert replies.claim("a", "r", "you").reply is None
    replies.free("a", "me")
    assert replies.claim("a", "r", "you") is None
