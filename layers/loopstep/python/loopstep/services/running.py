"""What the services on runs work with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from loopstep.gateways.files import Files
from loopstep.gateways.step_functions import Engine, MachineMissing
from loopstep.plans.store import PlanStore
from loopstep.runs.errors import RunNotFound
from loopstep.runs.keys import execution_name
from loopstep.runs.reader import RunReader
from loopstep.runs.records import Head
from loopstep.runs.store import RunStore
from loopstep.runs.wait_reader import WaitReader
from loopstep.runtime.settling import Settler
from loopstep.runtime.token import Token
from loopstep.services.refusals import Unavailable, unknown_run
from loopstep.services.shown_values import ShownValues


@dataclass(frozen=True, slots=True)
class Running:
    """Stores, engine, and what is not decided here: `now` gives ISO 8601 UTC with milliseconds, `new_id` 128 random
    bits in hex, `clock` and `sleep` seconds. `values` are those that `reader` and `waits` read with; `settler` ends
    waits, with values as they are.
    """

    plans: PlanStore
    runs: RunStore
    reader: RunReader
    values: ShownValues
    engine: Engine
    now: Callable[[], str]
    new_id: Callable[[], str]
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    waits: WaitReader
    settler: Settler
    files: Files
    keep_days: int = 0  # how long an ended run stays readable; 0: for ever

    def head(self, run: str) -> Head:
        """The run's head, read consistently. Raises Unknown `run.unknown`."""
        try:
            return self.reader.get_head(run)
        except RunNotFound:
            raise unknown_run(run) from None

    def launch(self, head: Head) -> None:
        """Start the execution of the run's epoch, or find it started: whoever repeats this heals a lost start."""
        try:
            self.engine.start(head.machine, execution_name(head.run, head.epoch), start_token(head.run, head.epoch))
        except MachineMissing:
            detail = f"The state machine of {head.plan} version {head.version} is not there. Publish the plan again."
            raise Unavailable("engine.machine_missing", detail, runId=head.run) from None


def start_token(run: str, epoch: int) -> str:
    """The input of an execution: the token that leads to the plan's entry."""
    return json.dumps(Token(run, epoch).to_json(), separators=(",", ":"))
