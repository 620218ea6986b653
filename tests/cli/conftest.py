"""A stand-in for the REST API: answers what a test lays out, remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner, Result

from loopstep.cli import main, remote


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass
class Service:
    """`replies` by "METHOD /path": a list of (status, body) given out in turn; the last one stays."""

    url: str = ""
    replies: dict[str, list[tuple[int, Any]]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    def on(self, what: str, *replies: tuple[int, Any]) -> None:
        self.replies[what] = list(replies)

    def answer(self, request: Request) -> tuple[int, Any]:
        self.requests.append(request)
        replies = self.replies.get(
            f"{request.method} {request.path}", [(404, {"code": "unknown", "detail": "no such"})]
        )
        return replies.pop(0) if len(replies) > 1 else replies[0]

    def asked(self, what: str) -> list[Request]:
        return [each for each in self.requests if f"{each.method} {each.path}" == what]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The stand-in, named by LOOPSTEP_URL; a proxy that would swallow every request is set."""
    stand_in = Service()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, reply = stand_in.answer(Request(self.command, parts.path, query, headers, body))
            data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, *parts: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    stand_in.url = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setenv(remote.URL, stand_in.url)
    monkeypatch.setenv(remote.KEY, "a-key")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setattr(remote, "PAUSE", 0)
    stand_in_answer = stand_in.answer

    def without_stage(request: Request) -> tuple[int, Any]:
        request.path = request.path.removeprefix("/v1")
        return stand_in_answer(request)

    stand_in.answer = without_stage  # type: ignore[method-assign]
    yield stand_in
    server.shutdown()
    server.server_close()
    thread.join()


class Cli:
    """Runs command lines as the console script would, exit codes included."""

    def __call__(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(_script, list(arguments), input=stdin)


class _Script:
    """What CliRunner needs of a command, around `main.run`."""

    name = "loopstep"

    def main(self, args: list[str], prog_name: str, **extra: Any) -> None:
        raise SystemExit(main.run(args))


_script: Any = _Script()


@pytest.fixture
def cli() -> Cli:
    return Cli()
