"""The parameters that several routes share, with the forms that ids have."""

from __future__ import annotations

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from loopstep.api.models import IDEMPOTENCY_KEY, PLAN_NAME, RUN_ID, RunStatus
from loopstep.api.registry_models import ENTRY_ID
from loopstep.api.timeline_models import ActivationStatus
from loopstep.api.wait_models import ApprovalStatus, CallbackStatus

TIME = r"^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d{1,3})?Z$"
NUMBERS = r"^((0|[1-9]\d{0,6})(\.(0|[1-9]\d{0,6}))*)?$"

PlanName = Annotated[str, Path(pattern=PLAN_NAME, description="A plan's name.")]
EntryId = Annotated[str, Path(pattern=ENTRY_ID, description="The id of what is registered.")]
ScopeName = Annotated[str, Path(max_length=3072, description="A scope's name, percent-encoded; without `%` in itself.")]
VersionNumber = Annotated[int, Path(ge=1, le=999_999, description="A version's number, from 1.")]
RunId = Annotated[str, Path(pattern=RUN_ID, description="A run's id.")]

GraphFormat = Annotated[
    Literal["json", "mermaid", "svg"], Query(description="json: the data; mermaid, svg: a picture of it.")
]
View = Annotated[
    Literal["graph", "data", "definition"],
    Query(description="graph: nodes and edges; data: who may read what; definition: the state machine."),
]
Limit = Annotated[int, Query(ge=1, le=100, description="The most items that the page may have.")]
Next = Annotated[str | None, Query(max_length=2048, description="`next` of the page before.")]
Wait = Annotated[
    float, Query(ge=0, le=60, allow_inf_nan=False, description="Seconds to wait for the run's end, at most 20.")
]
PlanFilter = Annotated[str | None, Query(pattern=PLAN_NAME, description="Only runs of this plan.")]
StatusFilter = Annotated[RunStatus | None, Query(description="Only runs of this status.")]
Since = Annotated[str | None, Query(pattern=TIME, description="Only runs that started then or later, in UTC.")]
Until = Annotated[str | None, Query(pattern=TIME, description="Only runs that started then or earlier, in UTC.")]
NodeFilter = Annotated[str | None, Query(alias="nodeId", pattern=PLAN_NAME, description="Only those of this node.")]
PathFilter = Annotated[
    str | None, Query(max_length=400, pattern=NUMBERS, description="Only those with these numbers, as `3.0`.")
]
ActivationFilter = Annotated[ActivationStatus | None, Query(alias="status", description="Only those of this status.")]
RunFilter = Annotated[str | None, Query(alias="runId", pattern=RUN_ID, description="Only those of this run.")]
ScopeFilter = Annotated[str | None, Query(min_length=1, max_length=256, description="Only those to this scope.")]
WaitId = Annotated[str, Path(max_length=200, description="The id of an approval or a callback.")]
ApprovalFilter = Annotated[ApprovalStatus | None, Query(description="Only approvals of this status.")]
CallbackFilter = Annotated[CallbackStatus | None, Query(description="Only callbacks of this status.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=IDEMPOTENCY_KEY,
        description="The same key with the same body gives the same run; 1 to 255 printable ASCII characters.",
    ),
]
