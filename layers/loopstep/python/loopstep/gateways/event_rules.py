"""Rules on the stack's bus that hand events to the trigger function."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol

from botocore.exceptions import ClientError

_TARGET = "trigger"
_EVENT = "<aws.events.event.json>"  # the whole event, put in by EventBridge
_REFUSED = {"InvalidEventPatternException", "ValidationException"}


class RuleRefused(Exception):
    """The bus does not take the pattern; no message, which could hold data."""


class Rule(NamedTuple):
    """`pattern` is JSON text; the function gets `plan`, `trigger` and the event."""

    name: str
    pattern: str
    enabled: bool
    plan: str
    trigger: str


class Rules(Protocol):
    """What services ask of the bus."""

    def put(self, rule: Rule) -> None: ...

    def remove(self, name: str) -> None: ...


class EventRules:
    """The rules of one bus. `function` is an ARN."""

    def __init__(self, client: Any, bus: str, function: str) -> None:
        self._client, self._bus, self._function = client, bus, function

    def put(self, rule: Rule) -> None:
        """Make the rule, or what it is now. Raises RuleRefused."""
        template = json.dumps({"plan": rule.plan, "trigger": rule.trigger, "event": _EVENT})
        template = template.replace(f'"{_EVENT}"', _EVENT)  # the event is an object, not a text
        target = {"Id": _TARGET, "Arn": self._function, "InputTransformer": {"InputTemplate": template}}
        try:
            self._client.put_rule(
                Name=rule.name,
                EventBusName=self._bus,
                EventPattern=rule.pattern,
                State="ENABLED" if rule.enabled else "DISABLED",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] in _REFUSED:
                raise RuleRefused from None
            raise
        self._client.put_targets(Rule=rule.name, EventBusName=self._bus, Targets=[target])

    def remove(self, name: str) -> None:
        """Remove the rule, or find it gone."""
        try:
            self._client.remove_targets(Rule=name, EventBusName=self._bus, Ids=[_TARGET])
            self._client.delete_rule(Name=name, EventBusName=self._bus)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ResourceNotFoundException":
                raise
