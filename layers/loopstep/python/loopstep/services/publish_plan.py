"""Publish a document as the next version of a plan (ARCHITECTURE §1, §4).

The order makes every interruption harmless: the machine first (its name holds the digest of its definition, so making
it twice is making it once), then the large texts (named by their content), then one transaction that moves the head
and adds the version. A repeated call finds whatever of this is done.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopstep.access.actor import Actor
from loopstep.gateways.step_functions import Engine, MachineTaken
from loopstep.knowledge.store import DocumentStore
from loopstep.plans import keys
from loopstep.plans.records import Draft, PlanHead, PlanVersion, same_content
from loopstep.plans.store import PlanStore
from loopstep.registry.store import RegistryStore
from loopstep.services.compile_document import FunctionArn, compile_document
from loopstep.services.refusals import Conflicting, Unavailable, Unfit
from loopstep.services.stack_registry import StackRegistry

ATTEMPTS = 24  # each lost race means that somebody else's version was stored


@dataclass(frozen=True, slots=True)
class Publisher:
    """What publishing works with. `stack` names the deployment, `role` (an ARN) is what its machines run as.

    `now` gives ISO 8601 UTC with milliseconds, `new_owner` a random text, `pause` waits a moment after the n-th
    lost race. Without a `registry` what plans refer to is not looked up.
    """

    plans: PlanStore
    engine: Engine
    stack: str
    role: str
    function_arn: FunctionArn
    now: Callable[[], str]
    new_owner: Callable[[], str]
    pause: Callable[[int], None]
    registry: RegistryStore | None = None
    documents: DocumentStore | None = None

    def as_it_stands(self) -> StackRegistry | None:
        """The stack's registry for one compile."""
        return None if self.registry is None else StackRegistry(self.registry)


@dataclass(frozen=True, slots=True)
class Published:
    """`created` is False where the newest version already was this document and this definition."""

    version: PlanVersion
    created: bool
    diagnostics: list[dict[str, Any]]


def publish_plan(publisher: Publisher, name: str, document: bytes, by: Actor | None = None) -> Published:
    """The version that now stands. Raises Unfit `plan.invalid` with diagnostics, Conflicting `publish.conflict`."""
    outcome = compile_document(document, name, publisher.function_arn, publisher.as_it_stands())
    if outcome.draft is None:
        raise Unfit("plan.invalid", "The document has errors.", diagnostics=outcome.diagnostics)
    draft = dataclasses.replace(outcome.draft, machine=_machine(publisher, outcome.draft), published_by=by)
    version, created = _store(publisher, draft)
    return Published(version, created, outcome.diagnostics)


def machine_name(stack: str, plan: str, definition_digest: str) -> str:
    """`<stack, 16>-<plan, 40>-<12 hex of the definition>`: at most 70 of the 80 characters that AWS allows."""
    return f"{stack[:16]}-{plan[:40]}-{definition_digest[:12]}"


def _machine(publisher: Publisher, draft: Draft) -> str:
    name = machine_name(publisher.stack, draft.name, draft.definition_digest)
    tags = {"loopstep:stack": publisher.stack, "loopstep:plan": draft.name}
    try:
        return publisher.engine.create_machine(name, draft.texts["definition"], publisher.role, tags)
    except MachineTaken:
        detail = f"A state machine {name} exists that is not this plan's, or is being deleted."
        raise Conflicting("publish.machine_taken", detail) from None


def _store(publisher: Publisher, draft: Draft) -> tuple[PlanVersion, bool]:
    owner = publisher.new_owner()
    for attempt in range(1, ATTEMPTS + 1):
        head = publisher.plans.head(draft.name)
        latest = _latest(publisher.plans, head)
        if latest is not None and latest.owner == owner:
            return latest, True  # the write of an earlier round counts, whatever became of its reply
        if latest is not None and same_content(latest, draft):
            return latest, False
        if head is not None and head.latest >= keys.MAX_VERSION:
            raise Conflicting("publish.too_many", f"The plan {draft.name} has all the versions it can have.")
        version = publisher.plans.add_version(draft, head, owner, publisher.now())
        if version is not None:
            return version, True
        publisher.pause(attempt)
    raise Conflicting("publish.conflict", f"Others kept publishing {draft.name} at the same time; nothing was stored.")


def _latest(plans: PlanStore, head: PlanHead | None) -> PlanVersion | None:
    if head is None:
        return None
    version = plans.version(head.name, head.latest)
    if version is None:
        raise Unavailable("plan.broken", f"The newest version of {head.name} cannot be read.")
    return version
