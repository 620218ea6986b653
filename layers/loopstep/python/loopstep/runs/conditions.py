"""The conditions under which the runs table is written. Each closes a race; the drawing shows which.

Names are written as `#placeholders` because some are reserved words; `names` and `values` give what a condition uses.
Time runs downwards in the drawings.
"""

from __future__ import annotations

from typing import Any

from loopstep.runs.items import number, text
from loopstep.runs.records import CREATED, FAILED, REOPENED, RUNNING, TERMINAL, TIMED_OUT, WAITING

#   create A          create B (a repeat, or another request with this id)
#   put head  ───▶
#                     put head again: would reset a run under way
#                     ✗ finds A's head: same owner or digest → the same run, else RunExists
NOT_THERE = "attribute_not_exists(#run)"

#   node function            cancel / end / redrive
#   reads head: running
#                            head: cancelled
#   commits its change  ✗    nothing enters a run that has ended, nor one that runs in another epoch
RUN_OPEN = "#status = :running AND #epoch = :epoch"

#   held run: two requests to start it, or a start and a cancel: one of them moves it out of `created`
RUN_HELD = "#status = :created"

#   one of 16 copies of (status, epoch): the same race as RUN_OPEN for a region's activations, without a hot item
FENCE_OPEN = "#fence = :running AND #epoch = :epoch"

#   invocation 1             invocation 2 (engine's retry, or Lambda's repeat), or the Task that a Catch led to
#   acts, is slow
#                            closes the record (its own outcome, node.timeout, node.crashed)
#   commits late        ✗    finds the record closed, and answers with what it says
ACTIVATION_OPEN = "attribute_not_exists(#act) OR #act IN (:running, :waiting, :reopened)"

#   invocation 1             invocation 2
#   reads n attempts         reads n attempts
#   records attempt n + 1
#                            records attempt n + 1  ✗  or two act in the name of one attempt
ATTEMPT_FREE = f"({ACTIVATION_OPEN}) AND size(#attempts) = :count"
FIRST_ATTEMPT_FREE = f"({ACTIVATION_OPEN}) AND attribute_not_exists(#attempts)"

#   branch A                 branch B
#   reads rev 7              reads rev 7
#   writes rev 8
#                            writes rev 8  ✗  or A's change is lost: read again, evaluate again
STATE_UNMOVED = "#rev = :rev"

#   an ended run's items are given their expiry, page by page
#                            redrive: head running, epoch 2
#   next page           ✗    or items of a run under way would vanish
RUN_ENDED = "#status IN (:succeeded, :failed, :cancelled, :timed_out) AND #epoch = :epoch"

#   redrive A                redrive B, or an end of the epoch that A has begun
#   reads: failed, epoch 1
#                            head: running, epoch 2
#   reopens a record    ✗    nothing is reopened but what a run that has ended left behind
RUN_STUCK = "#status IN (:failed, :timed_out) AND #epoch = :epoch"

#   the publication repeats on every retry; the message is stored once
MESSAGE_NEW = "attribute_not_exists(#sk)"


def run_open(epoch: int) -> dict[str, Any]:
    """RUN_OPEN with its names and values, as arguments of a write or check."""
    return {
        "ConditionExpression": RUN_OPEN,
        "ExpressionAttributeNames": {"#status": "status", "#epoch": "epoch"},
        "ExpressionAttributeValues": {":running": text(RUNNING), ":epoch": number(epoch)},
    }


def fence_open(epoch: int) -> dict[str, Any]:
    """FENCE_OPEN with its names and values."""
    return {
        "ConditionExpression": FENCE_OPEN,
        "ExpressionAttributeNames": {"#fence": "fence", "#epoch": "epoch"},
        "ExpressionAttributeValues": {":running": text(RUNNING), ":epoch": number(epoch)},
    }


def run_ended(epoch: int) -> dict[str, Any]:
    """RUN_ENDED with its names and values."""
    return {
        "ConditionExpression": RUN_ENDED,
        "ExpressionAttributeNames": {"#status": "status", "#epoch": "epoch"},
        "ExpressionAttributeValues": {**{f":{each}": text(each) for each in TERMINAL}, ":epoch": number(epoch)},
    }


def run_stuck(epoch: int) -> dict[str, Any]:
    """RUN_STUCK with its names and values."""
    return {
        "ConditionExpression": RUN_STUCK,
        "ExpressionAttributeNames": {"#status": "status", "#epoch": "epoch"},
        "ExpressionAttributeValues": {
            ":failed": text(FAILED),
            ":timed_out": text(TIMED_OUT),
            ":epoch": number(epoch),
        },
    }


def run_held() -> dict[str, Any]:
    """RUN_HELD with its names and values."""
    return {
        "ConditionExpression": RUN_HELD,
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {":created": text(CREATED)},
    }


def not_there() -> dict[str, Any]:
    """NOT_THERE with its names."""
    return {"ConditionExpression": NOT_THERE, "ExpressionAttributeNames": {"#run": "run"}}


def activation_open(condition: str = ACTIVATION_OPEN) -> dict[str, Any]:
    """ACTIVATION_OPEN, or one that contains it, with names and values; `:count` is the caller's."""
    names = {"#act": "act_status"}
    if "#attempts" in condition:
        names["#attempts"] = "attempts"
    return {
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {
            ":running": text(RUNNING),
            ":waiting": text(WAITING),
            ":reopened": text(REOPENED),
        },
    }


def state_unmoved(rev: int) -> dict[str, Any]:
    """STATE_UNMOVED with its names and values."""
    return {
        "ConditionExpression": STATE_UNMOVED,
        "ExpressionAttributeNames": {"#rev": "rev"},
        "ExpressionAttributeValues": {":rev": number(rev)},
    }


def message_new() -> dict[str, Any]:
    """MESSAGE_NEW with its names."""
    return {"ConditionExpression": MESSAGE_NEW, "ExpressionAttributeNames": {"#sk": "sk"}}
