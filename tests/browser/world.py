"""What the pages show: plans that are published, runs that are under way, and one that is wide."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from loopstep.cli.remote import Remote

HERE = Path(__file__).parent
PATIENCE = 60.0  # seconds until a run asks somebody, on a busy machine


class World:
    """The stack, as its API has it."""

    def __init__(self, api: Remote) -> None:
        self.api = api

    def published(self) -> World:
        """With the plans of this folder."""
        for path in sorted((HERE / "plans").glob("*.yaml")):
            self.api.call("PUT", f"/plans/{path.stem}", raw=path.read_bytes())
        return self

    def start(self, given: dict[str, Any], plan: str = "refund_review") -> str:
        """A run's id."""
        return str(self.api.call("POST", f"/plans/{plan}/runs", {"input": given})["runId"])

    def restricted(self) -> str:
        """A run that asks two people by name."""
        return self.start({}, "review")

    def run(self, run: str) -> dict[str, Any]:
        """The run when it is over."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found: dict[str, Any] = self.api.call("GET", f"/runs/{run}?wait=20")
            if found["endedAt"] or time.monotonic() > deadline:
                return found

    def approval(self, run: str) -> str:
        """The id of the approval that a run waits for."""
        return self._wait("approvals", run)

    def callback(self, run: str) -> str:
        """The id of the callback that a run waits for."""
        return self._wait("callbacks", run)

    def decided(self, run: str) -> str:
        """The same run, its approval given."""
        self.api.call("POST", f"/approvals/{self.approval(run)}", {"decision": "approved", "by": "Ann"})
        return run

    def asked(self, approval: str) -> dict[str, Any]:
        """The approval as it stands."""
        found: dict[str, Any] = self.api.call("GET", f"/approvals/{quote(approval)}")
        return found

    def _wait(self, kind: str, run: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            items = self.api.call("GET", f"/{kind}?runId={run}&status=pending")["items"]
            if items:
                return str(items[0]["id"])
            time.sleep(0.3)
        raise AssertionError(f"the run {run} asks nobody")
