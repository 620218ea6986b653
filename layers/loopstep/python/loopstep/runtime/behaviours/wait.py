"""`wait`: fixes the end of a wait once; the engine does the waiting (LANGUAGE §7)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from loopstep.expressions.evaluate import compile_tree
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import WAIT_INVALID, NodeFailure
from loopstep.runtime.times import moment, timestamp
from loopstep.types.forms import duration_seconds, parse_datetime

LONGEST = timedelta(days=365)


class Wait(Behaviour):
    """Records the end and leaves through `completed`; the token carries it as `until`. A past end passes at once."""

    def prepare(self, data: dict[str, Any]) -> Any:
        form = "duration" if "duration" in data else "until"
        return form, compile_tree(data[form])

    def act(self, situation: Situation, ready: Any) -> Effect:
        form, source = situation.spec.config
        value = source(situation.data)
        now = moment(situation.now)
        until = now + _length(value) if form == "duration" else _end(value)
        if until - now > LONGEST:
            raise NodeFailure(WAIT_INVALID, "a wait ends within 365 days")
        return Effect("completed", until=timestamp(max(until, now) + timedelta(microseconds=999)))


def _length(value: Any) -> timedelta:
    seconds = duration_seconds(value) if isinstance(value, str) else None
    if seconds is None:
        raise NodeFailure(WAIT_INVALID, "not a duration of at most 365 days")
    return timedelta(seconds=float(seconds))


def _end(value: Any) -> datetime:
    end = parse_datetime(value) if isinstance(value, str) else None
    if end is None:
        raise NodeFailure(WAIT_INVALID, "not a date and time with its offset")
    return end
