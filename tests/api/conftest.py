"""The API over a stack in moto, called as API Gateway calls it."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Answer:
    """What came back; `body` is JSON data."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass
class Api:
    """Calls routes; `compiled` is what the compiler function was asked and `reply` what it says."""

    stack: Any
    compiled: list[dict[str, Any]] = field(default_factory=list)
    reply: Any = None
    running: Any = None
    origin: str | None = None
    mode: str = "key"
    others: tuple[str, ...] = ("viewer",)
    identity: Any = field(default_factory=lambda: {"apiKeyId": "root"})  # what the gateway says of who calls
    authorizer: Any = None
    log: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        from aws_lambda_powertools import Logger

        from loopstep.api.app import create_app
        from loopstep.api.backend import Backend

        self.running = self.stack.running()
        backend = Backend(
            self.running.plans,
            self.running,
            self._compile,
            self.stack.registry(),
            self.stack.librarian(),
            self.stack.scheduling(self.running),
            self.stack.mail(self.running),
            self.stack.access(self.mode, self.others),
            self.stack.repeating(),
        )
        self.app = create_app(backend, Logger(service=f"test {id(self.log)}", stream=self.log), self.origin)

    def _compile(self, payload: dict[str, Any]) -> dict[str, Any]:
        self.compiled.append(payload)
        if isinstance(self.reply, Exception):
            raise self.reply
        if self.reply is None:
            from loopstep.services.compiler_face import CompilerFace

            reply = CompilerFace(self.stack.publisher()).answer(payload)
            return {"status": reply.status, "body": json.loads(json.dumps(reply.body))}
        return dict(self.reply)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        raw: str | None = None,
        query: dict[str, str] | None = None,
        base64: bool = False,
        **headers: str,
    ) -> Answer:
        text = raw if raw is not None else None if body is None else json.dumps(body, ensure_ascii=False)
        event = {
            "httpMethod": method,
            "path": path,
            "resource": "/{proxy+}",
            "headers": {name.replace("_", "-"): value for name, value in headers.items()} or None,
            "multiValueHeaders": {name.replace("_", "-"): [value] for name, value in headers.items()} or None,
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {name: [value] for name, value in query.items()} if query else None,
            "pathParameters": {"proxy": path.lstrip("/")},
            "requestContext": {
                "requestId": "r",
                "stage": "v1",
                "identity": self.identity,
                **({"authorizer": self.authorizer} if self.authorizer else {}),
            },
            "body": text,
            "isBase64Encoded": base64,
        }
        reply = self.app.resolve(event, None)  # type: ignore[arg-type]
        sent = {name: values[0] for name, values in reply["multiValueHeaders"].items()}
        return Answer(reply["statusCode"], sent, json.loads(reply["body"]) if reply["body"] else None)


@pytest.fixture
def api(aws: Any) -> Api:
    return Api(aws)
