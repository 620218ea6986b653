"""`loopstep redrive`."""

from __future__ import annotations

import json
from typing import Any

from loopstep.cli import outcome

RUN = {"runId": "r1", "plan": "p", "version": 1, "status": "running", "epoch": 2, "error": None, "output": None}


def test_a_run_goes_on(cli: Any, service: Any) -> None:
    service.on("POST /runs/r1/redrive", (202, RUN))
    done = cli("redrive", "r1")
    assert (done.exit_code, done.stdout) == (outcome.OK, "r1: running (epoch 2)\n")
    assert json.loads(cli("redrive", "r1", "--json").stdout) == RUN


def test_it_is_followed(cli: Any, service: Any) -> None:
    service.on("POST /runs/r1/redrive", (202, RUN))
    service.on(
        "GET /runs/r1", (200, {**RUN, "status": "failed", "error": {"code": "x", "message": "y", "nodeId": "n"}})
    )
    service.on("GET /runs/r1/activations", (200, {"items": [], "next": None}))
    done = cli("redrive", "r1", "--watch", "--json")
    assert done.exit_code == outcome.NO
    assert json.loads(done.stdout)["status"] == "failed"


def test_nothing_to_go_on_with(cli: Any, service: Any) -> None:
    problem = {"code": "redrive.nothing", "detail": "It would end the same way.", "runStatus": "failed"}
    service.on("POST /runs/r1/redrive", (409, problem))
    done = cli("redrive", "r1")
    assert (done.exit_code, done.stderr) == (
        outcome.CONFLICT,
        "Error: It would end the same way. (redrive.nothing)\n",
    )
