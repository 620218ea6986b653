"""Which calls fail, how, and how often: one list for every kind of call that the functions make (ARCHITECTURE §3)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOST = {"response": {"abort_bytes": 0}}  # the call took effect, nobody hears of it
# An empty reply has no byte to stop at: it promises one that never comes, and the client waits in vain.
LOST_EMPTY = {"response": {"set_headers": {"Content-Length": "1"}}}
HALF = {"response": {"abort_frac": 0.5}}


# A service that signs by another one's name: what its requests are cannot be told, so all of them are meant.
_SIGNED_AS = {"bedrock-runtime": "bedrock"}


@dataclass(frozen=True, slots=True)
class Rule:
    """One fault of one kind of call. It hits a share of the calls, `times` of them, then it is spent.

    With `row`, (f, p): of those that it would hit f in a row, then p are spared.
    """

    service: str
    operation: str
    fault: str
    effect: Mapping[str, Any]
    share: float
    times: int
    row: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """What the report calls it."""
        return f"{self.service}:{self.operation} {self.fault}"

    def to_json(self) -> dict[str, Any]:
        """As microburst takes it."""
        signed_as = _SIGNED_AS.get(self.service)
        which = {"service": signed_as} if signed_as else {"service": self.service, "operation": self.operation}
        row = {"sequence": list(self.row)} if self.row else {}
        return {**which, "probability": self.share, "times": self.times, **row, **self.effect}


def _error(code: str, status: int | None = None, **fields: Any) -> dict[str, Any]:
    """An error in the service's own form; `fields` are members beside code and message."""
    error: dict[str, Any] = {"code": code, "message": "injected"}
    if status is not None:
        error["status"] = status
    if fields:
        error["fields"] = fields
    return {"error": error}


_SLOW = _error("ProvisionedThroughputExceededException", 400)
_BROKEN = _error("InternalServerError", 500)
_CONFLICT = _error(
    "TransactionCanceledException",
    400,
    CancellationReasons=[{"Code": "TransactionConflict", "Message": "injected"}, {"Code": "None"}],
)
_THROTTLED = _error("ThrottlingException", 400)

# Service and operation as botocore names them → faults by name. Functions make no other calls; a test reads the source.
FAULTS: Mapping[tuple[str, str], Mapping[str, dict[str, Any]]] = {
    ("dynamodb", "BatchGetItem"): {"lost": LOST, "throttled": _SLOW},
    ("dynamodb", "TransactWriteItems"): {
        "lost": LOST,
        "throttled": _THROTTLED,
        "conflict": _CONFLICT,
        "in progress": _error("TransactionInProgressException", 400),
        "broken": _BROKEN,
    },
    ("dynamodb", "GetItem"): {"lost": LOST, "throttled": _SLOW},
    ("dynamodb", "Query"): {"lost": LOST, "throttled": _SLOW},
    ("dynamodb", "PutItem"): {"lost": LOST, "throttled": _SLOW},
    ("dynamodb", "UpdateItem"): {"lost": LOST, "throttled": _SLOW},
    ("s3", "PutObject"): {"lost": LOST_EMPTY, "throttled": _error("SlowDown", 503)},
    ("s3", "GetObject"): {"lost": LOST, "half": HALF, "throttled": _error("SlowDown", 503)},
    ("s3", "ListObjectsV2"): {"lost": LOST, "half": HALF, "throttled": _error("SlowDown", 503)},
    ("s3", "DeleteObject"): {"throttled": _error("SlowDown", 503)},
    ("bedrock-runtime", "Converse"): {
        "lost": LOST,
        "throttled": _error("ThrottlingException", 429),
        "broken": _error("InternalServerException", 500),
    },
    ("events", "PutEvents"): {"lost": LOST, "throttled": _THROTTLED, "broken": _error("InternalException", 500)},
    ("stepfunctions", "CreateStateMachine"): {"lost": LOST, "throttled": _THROTTLED},
    ("stepfunctions", "StartExecution"): {"lost": LOST, "throttled": _THROTTLED},
    ("stepfunctions", "StopExecution"): {"lost": LOST, "throttled": _THROTTLED},
    ("stepfunctions", "DescribeExecution"): {"lost": LOST, "throttled": _THROTTLED},
    ("stepfunctions", "SendTaskSuccess"): {"lost": LOST, "throttled": _THROTTLED},
    ("stepfunctions", "SendTaskFailure"): {"lost": LOST, "throttled": _THROTTLED},
    ("lambda", "Invoke"): {"lost": LOST, "throttled": _error("TooManyRequestsException", 429)},
}

SHARES = {
    "bedrock-runtime": (0.2, 0.4),
    "dynamodb": (0.04, 0.12),
    "events": (0.1, 0.25),
    "s3": (0.15, 0.3),
    "stepfunctions": (0.1, 0.2),
}

# Made a few times in a whole run of this: they fail at the first chance. The others are made all the time.
RARE = {
    ("stepfunctions", "CreateStateMachine"),
    ("stepfunctions", "DescribeExecution"),
    ("stepfunctions", "SendTaskSuccess"),
    ("stepfunctions", "SendTaskFailure"),
    ("stepfunctions", "StopExecution"),
    ("lambda", "Invoke"),
    ("dynamodb", "PutItem"),
    ("dynamodb", "UpdateItem"),
    ("s3", "DeleteObject"),
}


def rules(seed: int) -> list[Rule]:
    """All faults, with shares and numbers of times that the seed chooses, in its order: the first that hits counts."""
    chosen, made = random.Random(seed), []
    for place, faults in FAULTS.items():
        for fault, effect in faults.items():
            share, times = (1.0, 1) if place in RARE else (chosen.uniform(*SHARES[place[0]]), chosen.randint(2, 6))
            made.append(Rule(*place, fault, effect, round(share, 3), times))
    chosen.shuffle(made)
    return made
