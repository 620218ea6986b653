"""A scripted client: LSP messages to a server process over its stdin and stdout, or over a loopback socket."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

SERVER = [sys.executable, "-c", "from loopstep.cli.main import main; main()", "lsp"]
PUBLISHED = "textDocument/publishDiagnostics"
URI = "file:///plans/order.plan.yaml"
WAIT = 60  # seconds, of a test that hangs


class Client:
    """Speaks to one server. `at` marks a place in a text: a line (0-based) and a character in UTF-16 units."""

    def __init__(self, command: Sequence[str] = SERVER, streams: tuple[IO[bytes], IO[bytes]] | None = None) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        if streams is None:
            pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet)
            assert self.process.stdin is not None and self.process.stdout is not None
            streams = self.process.stdout, self.process.stdin
        self.incoming, self.outgoing = streams
        self.answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self.notices: queue.Queue[dict[str, Any]] = queue.Queue()
        self.version = 0
        self.count = 0
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    # -- messages ------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        while line := self.incoming.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = self.incoming.readline()
            message = json.loads(self.incoming.read(length))
            if "method" not in message:
                self.answers.setdefault(message["id"], queue.Queue()).put(message)
            elif "id" in message:
                self._send({"id": message["id"], "result": self.asked(message)})
            else:
                self.notices.put(message)

    def asked(self, message: dict[str, Any]) -> Any:
        """What the server asks the client: nothing is configured."""
        items = (message.get("params") or {}).get("items", ())
        return [None for _ in items] if message["method"] == "workspace/configuration" else None

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.lock:
            self.outgoing.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self.outgoing.flush()

    def start_request(self, method: str, params: Any) -> int:
        """Sends a request; its number."""
        self.count += 1
        self.answers.setdefault(self.count, queue.Queue())
        self._send({"id": self.count, "method": method, "params": params})
        return self.count

    def answer(self, number: int) -> dict[str, Any]:
        """The whole answer to a request."""
        return self.answers[number].get(timeout=WAIT)

    def request(self, method: str, params: Any) -> Any:
        """The result of a request, which is no error."""
        answer = self.answer(self.start_request(method, params))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    # -- a session -----------------------------------------------------------------------------------------------------

    def initialize(self, encodings: Sequence[str] | None = None, options: Any = None, snippets: bool = True) -> Any:
        general = {"positionEncodings": list(encodings)} if encodings is not None else {}
        item = {"snippetSupport": snippets, "documentationFormat": ["markdown"]}
        capabilities = {"general": general, "textDocument": {"completion": {"completionItem": item}}}
        params = {"processId": None, "rootUri": None, "capabilities": capabilities, "initializationOptions": options}
        found = self.request("initialize", params)
        self.notify("initialized", {})
        return found["capabilities"]

    def open(self, text: str, uri: str = URI, language: str = "yaml") -> None:
        self.version += 1
        document = {"uri": uri, "languageId": language, "version": self.version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, text: str, uri: str = URI) -> int:
        self.version += 1
        document = {"uri": uri, "version": self.version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.version

    def close(self, uri: str = URI) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, version: int | None = None, uri: str = URI) -> list[dict[str, Any]]:
        """The next diagnostics of a version, the latest text's by default."""
        wanted = self.version if version is None else version
        while True:
            notice = self.notices.get(timeout=WAIT)
            params = notice.get("params", {})
            if (notice["method"], params.get("uri"), params.get("version")) == (PUBLISHED, uri, wanted):
                found: list[dict[str, Any]] = params["diagnostics"]
                return found

    def ask(self, what: str, place: dict[str, int], uri: str = URI, **more: Any) -> Any:
        """`textDocument/<what>` at a place."""
        return self.request(f"textDocument/{what}", {"textDocument": {"uri": uri}, "position": place, **more})

    def labels(self, place: dict[str, int], uri: str = URI) -> list[str]:
        """The labels that are completed at a place, best first."""
        found = self.ask("completion", place, uri)
        return [item["label"] for item in sorted(found["items"], key=lambda item: item["sortText"])]

    def stop(self) -> int | None:
        """Ends the session as an editor does; the exit code of the process."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(WAIT) if self.process is not None else None

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(WAIT)
            for stream in (self.incoming, self.outgoing):
                stream.close()


def marked(text: str) -> tuple[str, dict[str, int]]:
    """The text without its mark `‸`, and where that stood."""
    before, mark, after = text.partition("‸")
    assert mark, "no place is marked"
    return before + after, place(before)


def place(before: str) -> dict[str, int]:
    """The place behind a text."""
    line = before.count("\n")
    last = before.rpartition("\n")[2]
    return {"line": line, "character": len(last.encode("utf-16-le")) // 2}
