"""How many messages and requests a run has sent to a scope, where the scope is limited.

An activation counts once, however often it tries and is redriven: its claim is an item of its own, and the count moves
in the same transaction. Both are items of the run and expire with it.
"""

from __future__ import annotations

from hashlib import sha256

from loopstep.runs import conditions, parts
from loopstep.runs.items import number
from loopstep.runs.store import RunStore
from loopstep.runs.transactions import Refused, put, update

QUOTA = "quota#"

#   two activations at the last free place: the count's condition lets one of them through
_BELOW = "attribute_not_exists(#sent) OR #sent < :most"


def claim(store: RunStore, run: str, scope: str, activation: str, most: int) -> bool:
    """Count the activation, unless it is counted already; False where `most` others are. Raises Contended."""
    count = QUOTA + sha256(scope.encode()).hexdigest()[:32]
    own = {**parts.key(run, f"{count}#{activation}")}
    below = {
        "ConditionExpression": _BELOW,
        "ExpressionAttributeNames": {"#sent": "sent"},
        "ExpressionAttributeValues": {":most": number(most)},
    }
    one_more = ["#sent = if_not_exists(#sent, :none) + :one"]
    values = {":none": number(0), ":one": number(1)}
    try:
        store.transact(
            [
                put("claim", store.table, own, conditions.not_there()),
                update("count", store.table, parts.key(run, count), below, {}, one_more, values),
            ]
        )
    except Refused as refused:
        return "claim" in refused.found
    return True
