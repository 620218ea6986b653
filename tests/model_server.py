"""A scripted model: an OpenAI-compatible `/v1/chat/completions` on loopback, as a process of its own.

    python tests/model_server.py [PORT]          says `listening on http://127.0.0.1:PORT`

Rules are posted to `/script` as `{"rules": [...]}`; the newest post comes first, within it the first rule that matches
and has `times` left. A rule has

    match      what must stand in the system prompt or in the newest message that is not the model's ("": always)
    anywhere   what must stand in any message
    model      the model that must be asked
    reply      the text of the answer; or one of the following
    toolCalls  [{"name", "arguments" (JSON data, or a text that is sent as it is), "id"?}], with a `reply` beside them
    status     an HTTP status without an answer, as 429
    raw        the body as it is
    drop       true: the connection ends without a word
    delay      seconds before any of these
    times      how often; left out: always

Without a rule it says `echo: ` and the newest message. `GET /log?match=TEXT` lists requests that have the text
anywhere, `DELETE /script` forgets rules and log. Tests that run side by side tell their rules apart by texts of their
own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
KEPT = 2000  # requests in the log


class Script:
    """The rules and the requests that came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[Json] = []
        self._log: deque[Json] = deque(maxlen=KEPT)

    def add(self, rules: list[Json]) -> None:
        with self._lock:
            self._rules = [dict(each) for each in rules] + self._rules

    def clear(self) -> None:
        with self._lock:
            self._rules = []
            self._log.clear()

    def log(self, match: str) -> list[Json]:
        with self._lock:
            return [each for each in self._log if match in json.dumps(each, ensure_ascii=False)]

    def answer(self, request: Json) -> Json:
        """The rule for a request; it is used once more."""
        with self._lock:
            self._log.append(request)
            for rule in self._rules:
                if rule.get("times", 1) > 0 and _matches(rule, request):
                    if "times" in rule:
                        rule["times"] -= 1
                    return rule
        return {"reply": f"echo: {_newest(request)}"}


def _matches(rule: Json, request: Json) -> bool:
    if rule.get("model", request.get("model")) != request.get("model"):
        return False
    messages = request.get("messages", [])
    near = [_text(each) for each in messages if each.get("role") == "system"] + [_newest(request)]
    everything = [_text(each) for each in messages]
    return any(rule.get("match", "") in text for text in near) and any(
        rule.get("anywhere", "") in text for text in everything
    )


def _newest(request: Json) -> str:
    others = [each for each in request.get("messages", []) if each.get("role") not in ("assistant", "system")]
    return _text(others[-1]) if others else ""


def _text(message: Json) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *arguments: Any) -> None:
        return None

    def do_GET(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        if place.path == "/log":
            match = urllib.parse.parse_qs(place.query).get("match", [""])[0]
            return self._send(200, {"requests": self.script.log(match)})
        return self._send(200 if place.path == "/" else 404, {})

    def do_DELETE(self) -> None:
        self.script.clear()
        self._send(200, {})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        if self.path == "/script":
            self.script.add(body["rules"])
            return self._send(200, {})
        if self.path != "/v1/chat/completions":
            return self._send(404, {})
        return self._act(self.script.answer(body), body)

    def _act(self, rule: Json, request: Json) -> None:
        time.sleep(rule.get("delay", 0))
        if rule.get("drop"):
            self.close_connection = True
        elif "raw" in rule:
            self._body(200, rule["raw"].encode())
        elif "status" in rule:
            self._send(rule["status"], {"error": {"message": "scripted"}})
        else:
            self._send(200, _completion(rule, request))

    def _send(self, status: int, data: Json) -> None:
        self._body(status, json.dumps(data).encode())

    def _body(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _completion(rule: Json, request: Json) -> Json:
    message: Json = {"role": "assistant", "content": rule.get("reply")}
    calls = [_call(number, each) for number, each in enumerate(rule.get("toolCalls", ()))]
    if calls:
        message["tool_calls"] = calls
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "1", "object": "chat.completion", "model": request.get("model"), "choices": [choice], "usage": usage}


def _call(number: int, call: Json) -> Json:
    arguments = call.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    identity = call.get("id", f"call_{number}")
    return {"id": identity, "type": "function", "function": {"name": call["name"], "arguments": text}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # as many may ask at once as a test starts


def serve(port: int) -> None:
    """Answer until the process ends."""
    handler = type("Scripted", (Handler,), {"script": Script()})
    server = _Server(("127.0.0.1", port), handler)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


# -- for tests -------------------------------------------------------------------------------------------------------


MODEL = "LOOPSTEP_TEST_MODEL"  # the address of the scripted model that the local cloud asks, for its tests


class ModelServer:
    """A scripted model seen from a test; `url` has no path."""

    def __init__(self, url: str, process: subprocess.Popen[str] | None = None) -> None:
        self.url, self._process = url, process

    @staticmethod
    def start() -> ModelServer:
        """One in a process of its own, on a free port."""
        command = [sys.executable, __file__]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert process.stdout is not None
        return ModelServer(process.stdout.readline().rpartition(" ")[2].strip(), process)

    def stop(self) -> None:
        """End the process, where it is ours."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def script(self, *rules: Json) -> None:
        """Add rules before all others."""
        self._ask("POST", "/script", {"rules": list(rules)})

    def clear(self) -> None:
        """Forget all rules and requests."""
        self._ask("DELETE", "/script")

    def log(self, match: str = "") -> list[Json]:
        """The requests that came, oldest first, those with the text in them."""
        found: list[Json] = self._ask("GET", f"/log?match={urllib.parse.quote(match)}")["requests"]
        return found

    def _ask(self, method: str, path: str, data: Json | None = None) -> Json:
        body = None if data is None else json.dumps(data).encode()
        request = urllib.request.Request(self.url + path, body, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as reply:
            answer: Json = json.load(reply)
        return answer


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
