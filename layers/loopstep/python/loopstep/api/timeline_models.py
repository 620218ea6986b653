"""The shapes of a run's progress, of its timeline and of its state at a revision."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from loopstep.api.choice_models import Choice
from loopstep.api.models import ActivationError, Omitted, RunStatus, Try

ActivationStatus = Literal["running", "waiting", "completed", "failed", "ended"]


class Progress(BaseModel):
    """`nodes` counts activations by node and status, `edges` how often each was taken.

    `complete` is false where a run has more than 50,000 activations: the others are not counted.
    """

    runId: str
    status: RunStatus
    epoch: int
    activations: int
    complete: bool
    revision: int
    nodes: dict[str, dict[ActivationStatus, int]]
    edges: dict[str, int]


class BriefActivation(BaseModel):
    """An activation without its values."""

    id: str
    nodeId: str
    path: list[int]
    status: ActivationStatus
    attempts: int
    error: ActivationError | None
    port: str | None
    edge: str | None
    choice: Choice | None
    source: str | None
    arrivedBy: str | None
    startedAt: str
    endedAt: str | None
    tries: list[Try]
    until: str | None = None
    revision: int | None = None


class TimelineRow(BaseModel):
    """An activation, a group (an item, a pass, a branch), or all groups of a region in one row.

    `within` asks for what is inside. `counts`: of a group its activations by status, of `groups` the groups.
    `activation` is the row's own, or the one with which a loop began a pass.
    """

    row: Literal["activation", "group", "groups"]
    kind: Literal["activation", "loop", "items", "branches"]
    within: str | None
    nodeId: str
    part: str | None
    index: int | None
    status: ActivationStatus
    startedAt: str
    endedAt: str | None
    counts: dict[ActivationStatus, int]
    activation: BriefActivation | None


class TimelinePage(BaseModel):
    items: list[TimelineRow]
    next: str | None


class StateChange(BaseModel):
    activationId: str
    nodeId: str
    path: list[int]
    at: str | None
    fields: list[str]


class RunState(BaseModel):
    """`change` says what made the revision: null for the first, 0, and for one that a redrive made anew."""

    runId: str
    revision: int
    latest: int
    state: dict[str, Any]
    change: StateChange | None
    omitted: dict[str, Omitted] = {}
