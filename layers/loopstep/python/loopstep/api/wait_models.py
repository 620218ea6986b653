"""The shapes of approvals and callbacks, asked and answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopstep.api.caller_models import Actor
from loopstep.api.models import ActivationError, Omitted, Values

ERROR_CODE = r"^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}$"

ApprovalStatus = Literal["pending", "approved", "rejected", "timed_out", "ended"]
CallbackStatus = Literal["pending", "completed", "failed", "timed_out", "ended"]


class Decision(BaseModel):
    """A decision. `by` is who decides; where the request itself proves who calls, that counts instead."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approved", "rejected"]
    by: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    comment: Annotated[str, Field(max_length=10_000)] | None = None


class Approval(BaseModel):
    """`approvers` is null where anyone may decide. `claimed`: who decided said so, nothing proved it.

    `answeredBy` is the caller that sent the decision, as the gateway knows it.
    """

    id: str
    runId: str
    plan: str
    version: int
    nodeId: str
    activationId: str
    status: ApprovalStatus
    scope: str
    summary: str | None
    approvers: list[str] | None
    askedAt: str
    deadline: str
    closedAt: str | None
    answeredBy: Actor | None = None
    decision: Literal["approved", "rejected"] | None
    decidedBy: str | None
    decidedAt: str | None
    comment: str | None
    claimed: bool
    omitted: dict[str, Omitted] = {}


class ApprovalPage(BaseModel):
    items: list[Approval]
    next: str | None


class CallbackError(BaseModel):
    """Leaves the node through `failed` with this code."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Field(pattern=ERROR_CODE)]
    message: Annotated[str, Field(max_length=2000)] = ""


class CallbackAnswer(BaseModel):
    """Either an output that satisfies the callback's contract, or an error."""

    model_config = ConfigDict(extra="forbid")

    output: Any = Field(default=None, description="An object, as the callback's contract says.")
    error: CallbackError | None = None

    @classmethod
    def inlined(cls) -> dict[str, Any]:
        """The schema without references, for a place where none resolves."""
        schema = cls.model_json_schema()
        schema["properties"]["error"] = schema.pop("$defs")["CallbackError"]
        return schema


class Callback(BaseModel):
    """`contract` says by field what an answer's `output` must be; `output` or `error` is the answer that stands.

    `answeredBy` is the caller that sent it.
    """

    id: str
    runId: str
    plan: str
    version: int
    nodeId: str
    activationId: str
    status: CallbackStatus
    scope: str
    text: str | None
    messageId: str | None
    contract: Values | None
    askedAt: str
    deadline: str
    closedAt: str | None
    answeredBy: Actor | None = None
    output: Values | None
    error: ActivationError | None
    omitted: dict[str, Omitted] = {}


class CallbackPage(BaseModel):
    items: list[Callback]
    next: str | None
