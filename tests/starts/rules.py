"""Which calls of a start fail, and how often in a thousand starts."""

from __future__ import annotations

import random

from tests.chaos.rules import FAULTS, Rule

FUNCTIONS = ("api", "start_run")  # those that a start goes through
PER_THOUSAND = 1000

# Calls of a start → share of the calls that each fault hits, and how many of them in a thousand starts at most.
SHARES = {
    ("dynamodb", "GetItem"): (0.03, 40),
    ("dynamodb", "TransactWriteItems"): (0.05, 40),
    ("s3", "PutObject"): (0.2, 20),
    ("stepfunctions", "StartExecution"): (0.08, 60),
}
# Held back a while: many are on their way when a process is killed.
HELD = {
    ("dynamodb", "TransactWriteItems"): {"latency": {"min": 100, "max": 600}},
    ("stepfunctions", "StartExecution"): {"latency": {"min": 100, "max": 900}},
}
# So many failures in a row that repeating does not help: a record without an execution, and nothing at all.
OUTAGES = {
    ("dynamodb", "TransactWriteItems"): ("throttled", (24, 400), 72),
    ("stepfunctions", "StartExecution"): ("throttled", (40, 250), 160),
}


def rules(seed: int, starts: int) -> list[Rule]:
    """All faults for so many starts, in an order that the seed chooses: the first that hits counts."""
    part = starts / PER_THOUSAND
    made = []
    for place, (share, times) in SHARES.items():
        for fault, effect in FAULTS[place].items():
            made.append(Rule(*place, fault, effect, share, max(1, round(times * part))))
    for place, effect in HELD.items():
        made.append(Rule(*place, "held", effect, 0.15, max(1, round(200 * part))))
    random.Random(seed).shuffle(made)
    outages = [
        Rule(*place, "outage", FAULTS[place][fault], 1.0, max(row[0], round(times * part)), row)
        for place, (fault, row, times) in OUTAGES.items()
    ]
    return [*outages, *made]
