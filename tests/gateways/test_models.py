"""The port to models over HTTP: a fake Converse endpoint that is slow, throttled, broken, or lies (CANVAS §3)."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopstep.gateways import clients
from loopstep.gateways.bedrock import STAND_IN, TRIES, BedrockModels
from loopstep.gateways.converse import read_reply
from loopstep.gateways.models import (
    EMPTY,
    ModelRefused,
    ModelUnavailable,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    assistant,
    results,
    user,
)

ASK = Request("m", "", (user("hi"),))
USED = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}


def said(*blocks: Any, stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": list(blocks)}
    return {"output": {"message": message}, "stopReason": stop, "usage": USED, "metrics": {"latencyMs": 1}, **more}


class Answer:
    """A body (data, or bytes as they are) with a status and an error's name; `drop` ends the connection instead."""

    def __init__(self, body: Any = b"{}", status: int = 200, error: str = "", drop: bool = False, delay: float = 0):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.error, self.drop, self.delay = status, error, drop, delay


def failing(error: str, status: int, message: str = "canary") -> Answer:
    return Answer({"message": message}, status, error)


class Endpoint:
    """Answers in order, the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests = list(answers), []  # type: list[Answer], list[tuple[str, Any]]

    def next(self, path: str, body: bytes) -> Answer:
        self.requests.append((path, json.loads(body)))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def body(self) -> Any:
        return self.requests[-1][1]


@contextlib.contextmanager
def serving(endpoint: Endpoint) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: Any) -> None:
            return None

        def do_POST(self) -> None:
            answer = endpoint.next(self.path, self.rfile.read(int(self.headers["content-length"])))
            time.sleep(answer.delay)
            if answer.drop:
                self.close_connection = True
                return
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.body)))
            if answer.error:
                self.send_header("x-amzn-ErrorType", answer.error)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(answer.body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Port:
    """The adapter in front of an endpoint; its pauses are counted, not slept."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "test")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url)
        clients.bedrock.cache_clear()
        self.slept: list[float] = []
        self.default, self.refuse = "stack-model", False

    def converse(self, request: Request = ASK, seconds: float = 30) -> Any:
        models = BedrockModels(
            clients.bedrock, self.default, random.Random(1), self.slept.append, refuse_stand_in=self.refuse
        )
        return models.converse(request, seconds)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Port, Endpoint]]]:
    with contextlib.ExitStack() as stack:

        def made(*answers: Answer) -> tuple[Port, Endpoint]:
            endpoint = Endpoint(*answers)
            return Port(stack.enter_context(serving(endpoint)), monkeypatch), endpoint

        yield made
    clients.bedrock.cache_clear()


# -- what is asked ---------------------------------------------------------------------------------------------------


def test_a_plain_question(port: Any) -> None:
    asked, endpoint = port(Answer(said({"text": "Hello"})))
    reply = asked.converse()
    assert (reply.text, reply.calls, reply.stop, reply.model) == ("Hello", (), "end_turn", "m")
    assert reply.usage == Usage(1, 11, 7)
    assert reply.message == {"role": "assistant", "content": [{"text": "Hello"}]}
    assert endpoint.requests == [("/model/m/converse", {"messages": [{"role": "user", "content": [{"text": "hi"}]}]})]


def test_everything_that_can_be_asked(port: Any) -> None:
    asked, endpoint = port(Answer(said({"text": "x"})))
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    history = (user("a"), assistant("b"), results([ToolResult("1", "found"), ToolResult("2", " ", failed=True)]))
    asked.converse(Request("", "be brief", history, (Tool("look", "", schema),), 0.0, 5))
    path, body = endpoint.requests[0]
    assert path == "/model/stack-model/converse"
    assert body["system"] == [{"text": "be brief"}]
    assert body["inferenceConfig"] == {"temperature": 0.0, "maxTokens": 5}
    (spec,) = body["toolConfig"]["tools"]
    assert spec == {"toolSpec": {"name": "look", "description": "look", "inputSchema": {"json": schema}}}
    assert body["messages"][2]["content"] == [
        {"toolResult": {"toolUseId": "1", "content": [{"text": "found"}], "status": "success"}},
        {"toolResult": {"toolUseId": "2", "content": [{"text": EMPTY}], "status": "error"}},
    ]


@pytest.mark.parametrize("text", ["", " \n", "\t"])
def test_a_text_without_a_character_is_none_for_the_service(port: Any, text: str) -> None:
    asked, endpoint = port(Answer(said({"text": "x"})))
    asked.converse(Request("m", text, (user(text), assistant(text), user(text))))
    assert "system" not in endpoint.body
    assert [each["content"][0]["text"] for each in endpoint.body["messages"]] == [EMPTY] * 3


def test_an_arn_is_one_segment_of_the_address(port: Any) -> None:
    asked, endpoint = port(Answer(said({"text": "x"})))
    asked.converse(ASK._replace(model="arn:aws:bedrock:us-east-1::foundation-model/a.b-v1:0"))
    assert endpoint.requests[0][0].count("/") == 3


def test_without_a_model_nothing_is_asked(port: Any) -> None:
    asked, endpoint = port(Answer(said({"text": "x"})))
    asked.default = ""
    with pytest.raises(ModelUnavailable, match="ModelId"):
        asked.converse(ASK._replace(model=""))
    assert endpoint.requests == []


# -- what comes back -------------------------------------------------------------------------------------------------


def test_tool_calls(port: Any) -> None:
    use = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"q": "x"}}}
    reply = port(Answer(said({"text": "Let me "}, {"text": "look."}, use, stop="tool_use")))[0].converse()
    assert (reply.text, reply.stop) == ("Let me look.", "tool_use")
    assert reply.calls == (ToolCall("t1", "look", {"q": "x"}),)
    assert reply.message["content"] == [{"text": "Let me "}, {"text": "look."}, use]


def test_what_a_model_may_call_its_tools(port: Any) -> None:
    """Ids twice, ids and names that the service would not take back, inputs of any form."""
    odd = [
        {"toolUseId": "a", "name": "x y", "input": [1]},
        {"toolUseId": "a", "name": "../../etc", "input": None},
        {"toolUseId": "call_1", "name": "", "input": "text"},
        {"toolUseId": 7, "name": {"a": 1}, "input": 5},
        {"input": {"deep": [[[[]]]]}},
        {"toolUseId": "z" * 65, "name": "ok", "input": {}},
    ]
    reply = port(Answer(said(*({"toolUse": each} for each in odd))))[0].converse()
    assert [each.name for each in reply.calls] == ["x y", "../../etc", "", "", "", "ok"]
    assert [each.input for each in reply.calls] == [[1], None, "text", 5, {"deep": [[[[]]]]}, {}]
    identities = [each.id for each in reply.calls]
    assert len(set(identities)) == 6 and identities[0] == "a" and all(each.isascii() for each in identities)
    told = [each["toolUse"] for each in reply.message["content"]]
    assert [each["toolUseId"] for each in told] == identities
    assert all(isinstance(each["input"], dict) for each in told)
    assert {each["name"] for each in told} == {"unknown", "ok"}


@pytest.mark.parametrize(
    "content",
    [
        [],
        [{"text": ""}],
        [{"text": " "}],
        [{"image": {}}, {"SDK_UNKNOWN_MEMBER": {"name": "x"}}],
        ["text", None, 5, [], {"text": 5}, {"toolUse": "x"}, {}, {"reasoningContent": {}}],
    ],
)
def test_blocks_of_unknown_shape_are_left_out(content: list[Any]) -> None:
    reply = read_reply(said(*content), "m")
    assert reply is not None
    assert (reply.text.strip(), reply.calls) == ("", ())
    assert reply.message["content"] == [{"text": EMPTY}]


def test_half_a_character_is_replaced(port: Any) -> None:
    body = json.dumps(said({"text": "a\ud83d b \ud83d\ude00"})).encode()
    assert port(Answer(body))[0].converse().text == "a\ufffd b 😀"


def test_a_huge_answer(port: Any) -> None:
    assert len(port(Answer(said({"text": "x" * 6_000_000})))[0].converse().text) == 6_000_000


@pytest.mark.parametrize("usage", [None, [], {}, {"inputTokens": -1, "outputTokens": "7"}, {"inputTokens": True}])
def test_usage_that_is_none(usage: Any) -> None:
    reply = read_reply(said({"text": "x"}) | {"usage": usage}, "m")
    assert reply is not None and reply.usage == Usage(1, 0, 0)


@pytest.mark.parametrize(
    "data", [None, [], "text", {}, {"output": None}, {"output": {"message": []}}, said() | {"output": {}}]
)
def test_no_reply_at_all(data: Any) -> None:
    assert read_reply(data, "m") is None


@pytest.mark.parametrize("stop", ["guardrail_intervened", "content_filtered"])
def test_an_answer_that_was_stopped_is_a_refusal(port: Any, stop: str) -> None:
    asked, endpoint = port(Answer(said({"text": "canary"}, stop=stop)))
    with pytest.raises(ModelRefused) as refused:
        asked.converse()
    assert refused.value.usage == Usage(1, 11, 7)
    assert "canary" not in str(refused.value) and len(endpoint.requests) == 1


# -- what goes wrong -------------------------------------------------------------------------------------------------

THROTTLED = failing("ThrottlingException", 429)


@pytest.mark.parametrize(
    "bad",
    [
        THROTTLED,
        failing("ServiceUnavailableException", 503),
        failing("InternalServerException", 500),
        failing("ModelNotReadyException", 429),
        failing("ModelErrorException", 424),
        failing("ModelTimeoutException", 408),
        Answer(b"<html>bad gateway</html>", 502),
        Answer(drop=True),
        Answer(b"no json"),
        Answer(b""),
        Answer(b"[]"),
        Answer(b'{"output": 5}'),
        Answer(b'{"output": {"message": {"role": "assistant", "content": "text"}}}'),
        Answer(said("text", None, 5, [])),
        Answer(said({"toolUse": "x"})),
    ],
    ids=lambda answer: answer.error or f"{answer.status} {answer.body[:20]!r} {answer.drop}",
)
def test_what_passes_is_tried_again_and_then_the_model_is_unavailable(port: Any, bad: Answer) -> None:
    asked, endpoint = port(bad, Answer(said({"text": "at last"})))
    assert asked.converse().text == "at last"
    assert len(endpoint.requests) == 2 and len(asked.slept) == 1
    asked, endpoint = port(bad)
    with pytest.raises(ModelUnavailable) as failed:
        asked.converse()
    assert len(endpoint.requests) == TRIES and len(asked.slept) == TRIES - 1
    assert all(0 <= pause <= 0.5 * 2**number for number, pause in enumerate(asked.slept))
    assert "canary" not in str(failed.value) and "html" not in str(failed.value)


@pytest.mark.parametrize(
    "bad",
    [
        failing("AccessDeniedException", 403),
        failing("ResourceNotFoundException", 404),
        failing("ServiceQuotaExceededException", 400),
        failing("ExpiredTokenException", 403),
        failing("UnrecognizedClientException", 403),
        failing("ValidationException", 400, "The provided model identifier is invalid."),
        failing("ValidationException", 400, "Invocation of model ID x with on-demand throughput isn't supported."),
    ],
    ids=lambda answer: answer.error,
)
def test_what_lasts_is_not_tried_again(port: Any, bad: Answer) -> None:
    asked, endpoint = port(bad)
    with pytest.raises(ModelUnavailable) as failed:
        asked.converse()
    assert len(endpoint.requests) == 1 and "canary" not in str(failed.value)


def test_a_request_that_is_refused(port: Any) -> None:
    asked, endpoint = port(failing("ValidationException", 400))
    with pytest.raises(ModelRefused, match="ValidationException") as refused:
        asked.converse()
    assert len(endpoint.requests) == 1 and "canary" not in str(refused.value)


def test_a_temperature_that_the_model_does_not_take_is_left_out(port: Any) -> None:
    told = failing("ValidationException", 400, "`temperature` is deprecated for this model.")
    asked, endpoint = port(told, Answer(said({"text": "x"})))
    assert asked.converse(ASK._replace(temperature=0.0, max_tokens=9)).text == "x"
    assert [each[1].get("inferenceConfig") for each in endpoint.requests] == [
        {"maxTokens": 9, "temperature": 0.0},
        {"maxTokens": 9},
    ]
    assert asked.slept == []
    asked, endpoint = port(told)
    with pytest.raises(ModelRefused):
        asked.converse(ASK)
    assert len(endpoint.requests) == 1


def test_nobody_listens(port: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Port("http://127.0.0.1:9", monkeypatch)
    with pytest.raises(ModelUnavailable, match="EndpointConnectionError"):
        asked.converse()
    assert len(asked.slept) == TRIES - 1


def test_a_reply_of_lists_within_lists(port: Any) -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    with pytest.raises(ModelUnavailable):
        port(Answer(b'{"output": ' + deep + b"}"))[0].converse()


def test_a_model_may_take_the_time_that_is_left_and_no_more(port: Any) -> None:
    asked, endpoint = port(Answer(said({"text": "late"}), delay=20))
    with pytest.raises(ModelUnavailable, match="ReadTimeoutError"):  # and not the answer, 20 seconds later
        asked.converse(seconds=1.5)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("seconds", [0, 0.5, -3])
def test_without_time_nothing_is_asked(port: Any, seconds: float) -> None:
    asked, endpoint = port(Answer(said({"text": "x"})))
    with pytest.raises(ModelUnavailable, match="no time"):
        asked.converse(seconds=seconds)
    assert endpoint.requests == []


def test_pauses_end_with_the_time(port: Any) -> None:
    asked, endpoint = port(THROTTLED)
    ticks = iter([0.0, 0.0, 0.9, 8.0, 8.9, 9.5])
    models = BedrockModels(clients.bedrock, "m", random.Random(1), asked.slept.append, monotonic=lambda: next(ticks))
    with pytest.raises(ModelUnavailable, match="ThrottlingException"):
        models.converse(ASK, 10.0)
    assert len(endpoint.requests) == 2


# -- the local engine's stand-in -------------------------------------------------------------------------------------


def test_the_stand_in_is_an_answer_unless_it_is_refused(port: Any) -> None:
    stand_in = Answer(said({"text": f"{STAND_IN} nova m] reply for prompt#1"}))
    asked, endpoint = port(stand_in)
    assert asked.converse().text.startswith(STAND_IN)
    asked.refuse = True
    with pytest.raises(ModelUnavailable, match="the model server given with --model-url failed"):
        asked.converse()
    assert len(endpoint.requests) == 1 + TRIES
    asked, _ = port(stand_in, Answer(said({"text": "real"})))
    asked.refuse = True
    assert asked.converse().text == "real"


# -- whatever comes back ---------------------------------------------------------------------------------------------

NAMES = st.sampled_from(
    [
        "output",
        "message",
        "content",
        "text",
        "toolUse",
        "toolUseId",
        "name",
        "input",
        "usage",
        "inputTokens",
        "stopReason",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=30,
)
REPLIES = JSON | st.fixed_dictionaries(
    {
        "output": st.fixed_dictionaries({"message": st.fixed_dictionaries({"content": st.lists(JSON, max_size=5)})}),
        "usage": JSON,
        "stopReason": JSON,
    }
)


@given(REPLIES)
@settings(max_examples=300)
def test_no_reply_breaks_its_reader(data: Any) -> None:
    reply = read_reply(data, "m")
    if reply is None:
        return
    reply.text.encode()
    assert reply.usage.calls == 1 and reply.usage.input_tokens >= 0
    told = [block["toolUse"] for block in reply.message["content"] if "toolUse" in block]
    assert [each["toolUseId"] for each in told] == [call.id for call in reply.calls]
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    assert reply.message["content"] and all(isinstance(call.name, str) for call in reply.calls)
