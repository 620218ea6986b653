"""What the services on triggers work with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loopstep.gateways.dead_letters import DeadLetters
from loopstep.gateways.event_rules import EventRules, Rules
from loopstep.services.compose import Client
from loopstep.services.running import Running
from loopstep.triggers.store import TriggerStore


class Triggering(NamedTuple):
    """Stores, bus and queue."""

    running: Running
    triggers: TriggerStore
    rules: Rules
    letters: DeadLetters


def compose_triggering(environment: Mapping[str, str], client: Client, running: Running) -> Triggering:
    """From PLANS_TABLE, DEAD_LETTERS_URL and, to make rules, EVENT_BUS and TRIGGER_FUNCTION_ARN."""
    return Triggering(
        running=running,
        triggers=TriggerStore(client("dynamodb"), environment["PLANS_TABLE"]),
        rules=EventRules(client("events"), environment["EVENT_BUS"], environment.get("TRIGGER_FUNCTION_ARN", "")),
        letters=DeadLetters(client("sqs"), environment["DEAD_LETTERS_URL"]),
    )
