"""Calling a function: its reply, its failure, and no answer at all."""

from __future__ import annotations

import io
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from loopstep.gateways.functions import FunctionFailed, Functions


class Lambda:
    def __init__(self, payload: bytes = b"{}", error: str | None = None, raises: Exception | None = None) -> None:
        self.payload, self.error, self.raises, self.asked = payload, error, raises, list[dict[str, Any]]()

    def invoke(self, **request: Any) -> dict[str, Any]:
        self.asked.append(request)
        if self.raises:
            raise self.raises
        answer: dict[str, Any] = {"Payload": io.BytesIO(self.payload)}
        return answer | ({"FunctionError": self.error} if self.error else {})


def test_a_reply() -> None:
    client = Lambda(b'{"status": 200}')
    assert Functions(client).call("f", {"document": "好"}) == {"status": 200}
    (asked,) = client.asked
    assert asked["InvocationType"] == "RequestResponse" and "好".encode() in asked["Payload"]


@pytest.mark.parametrize("payload", [b'{"errorType": "KeyError", "errorMessage": "canary"}', b"", b'"canary"'])
def test_a_failure_tells_its_type_only(payload: bytes) -> None:
    with pytest.raises(FunctionFailed) as failed:
        Functions(Lambda(payload, "Unhandled")).call("f", {})
    assert "canary" not in str(failed.value)


@pytest.mark.parametrize(
    "error", [ReadTimeoutError(endpoint_url="https://l"), EndpointConnectionError(endpoint_url="https://l")]
)
def test_no_answer(error: Exception) -> None:
    with pytest.raises(FunctionFailed):
        Functions(Lambda(raises=error)).call("f", {})


def test_being_throttled_is_passed_on() -> None:
    throttled = ClientError({"Error": {"Code": "TooManyRequestsException", "Message": ""}}, "Invoke")
    with pytest.raises(ClientError):
        Functions(Lambda(raises=throttled)).call("f", {})
