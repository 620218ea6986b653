"""Starts a run for an event that a trigger's rule matched: `{plan, trigger, event}`.

Answers `{runId}`, or `{notStarted}` with the reason; what is refused for good goes to the dead letters with it. What
another try may mend is raised, so that Lambda tries again and then keeps the event as a dead letter itself.
"""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger

from loopstep.gateways.service_clients import LazyClient, client
from loopstep.services.compose import compose_running
from loopstep.services.deliver_event import deliver_or_bury
from loopstep.services.triggering import compose_triggering

logger = Logger(service="loopstep")
client("dynamodb")  # made while Lambda gives a start its full processor; the others when needed

_TRIGGERING = compose_triggering(os.environ, LazyClient, compose_running(os.environ, LazyClient))


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Start the run, find it started, or say why not."""
    plan, trigger = event["plan"], event["trigger"]
    done = deliver_or_bury(_TRIGGERING, plan, trigger, event["event"])
    if isinstance(done, str):
        logger.warning("not started", plan=plan, trigger=trigger, code=done)
        return {"notStarted": done}
    logger.info("started", run=done.run, plan=done.plan, version=done.version, trigger=trigger)
    return {"runId": done.run}
