"""The tour, steps 6 and 7: a person decides, the run fails at a scope's limit, that is raised, a redrive goes on."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path

from loopstep.cli.remote import Remote
from tests.ending import awaited, ended
from tests.stack.conftest import Command

DESK = Path(__file__).resolve().parents[2] / "examples" / "tour" / "refund_desk.yaml"
PATIENCE = 120.0  # seconds; a function may remember a scope for 15 of them


def test_a_decision_stands_when_the_run_is_redriven(loopstep: Command, api: Remote) -> None:
    desk, name = f"team/{uuid.uuid4().hex[:10]}", f"refund_desk_{uuid.uuid4().hex[:8]}"
    assert loopstep("scopes", "put", desk, "--max-per-run", "1").code == 0
    given = json.dumps({"customer": "Ada", "amount": 900, "desk": desk})
    run = loopstep("run", str(DESK), "--name", name, "--input", given).stdout.split()[-1]
    wait = awaited(api, run)
    assert wait["summary"] == "Pay 900 back to Ada?"
    assert loopstep("approve", wait["id"], "--by", "lea").stdout == "ask: approved by lea\n"
    assert loopstep("reject", wait["id"], "--by", "finn").code == 6
    assert ended(api, run)["error"]["code"] == "scope.limit"
    assert "scope.limit" in loopstep("show", run).stdout
    assert loopstep("scopes", "put", desk, "--max-per-run", "20").code == 0
    end = time.monotonic() + PATIENCE
    while (found := ended(api, run))["status"] != "succeeded" and time.monotonic() < end:
        loopstep("redrive", run)
        time.sleep(1)
    assert found["output"] == {"decision": "paid", "by": "lea"}
    assert [each["text"] for each in api.items("/messages", runId=run)] == ["Ada: paid"]
    assert len(list(api.items("/approvals", runId=run))) == 1
