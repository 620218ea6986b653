"""microburst between the functions and the emulator, as a process of its own on loopback."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.rules import Rule

HOST = "127.0.0.1"
READY_SECONDS = 20.0
STOP_SECONDS = 5.0
LAUNCH = Path(__file__).with_name("launch.py")

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy on the way to loopback


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running microburst: where it listens, and the ids that it gave the rules, in their order."""

    url: str
    ids: tuple[int, ...] = ()

    def fired(self) -> list[int]:
        """How often each rule has fired, in the order of the rules."""
        counts = {rule["id"]: rule["fired_count"] for rule in self._call("GET", "rules")}
        return [counts[each] for each in self.ids]

    def requests(self) -> int:
        """How many calls have come through."""
        return int(self._call("GET", "health")["requests_seen"])

    def evidence(self) -> list[dict[str, Any]]:
        """Every fault that was injected, the last 2,000 of them."""
        found: list[dict[str, Any]] = self._call("GET", "fired?limit=2000")
        return found

    def disarm(self) -> None:
        """Let every call pass from now on."""
        self._call("DELETE", "rules", [])

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/_microburst/{path}", data, headers, method=method)
        with _direct.open(request, timeout=10) as answer:
            return json.loads(answer.read())


@contextlib.contextmanager
def between(upstream: str, rules: Sequence[Rule], seed: int, log: Path) -> Iterator[Proxy]:
    """A proxy in front of `upstream` with these rules, for the time of the block. Raises RuntimeError."""
    port = _free_port()
    command = [sys.executable, str(LAUNCH), str(seed), "--host", HOST, "--port", str(port), "--upstream", upstream]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    try:
        proxy = Proxy(f"http://{HOST}:{port}")
        _await(proxy, process, log)
        placed = proxy._call("POST", "rules", [rule.to_json() for rule in rules])
        yield Proxy(proxy.url, tuple(rule["id"] for rule in placed))
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(proxy: Proxy, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            proxy.requests()
            return
        time.sleep(0.1)
    raise RuntimeError(f"microburst did not start, see {log}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
