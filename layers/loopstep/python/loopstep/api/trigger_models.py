"""The shapes of the routes of triggers and of dead letters."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class PutTrigger(BaseModel):
    """What starts a run. Without `version` the version runs that is the newest when the event comes."""

    pattern: dict[str, Any] = Field(description="An event pattern of EventBridge, on the stack's bus.")
    input: dict[str, dict[str, Any]] = Field(default={}, description="By input field: value, ref or expr on `event`.")
    version: int | None = None
    enabled: bool = True


class Trigger(BaseModel):
    id: str
    plan: str
    pattern: dict[str, Any]
    input: dict[str, dict[str, Any]]
    version: int | None
    enabled: bool
    createdAt: str
    updatedAt: str


class TriggerPage(BaseModel):
    items: list[Trigger]
    next: str | None


class RemovedTrigger(BaseModel):
    id: str
    removed: bool


class LetterFault(BaseModel):
    path: str
    code: str
    message: str


class DeadLetter(BaseModel):
    """Why something could not be started. What is in the event or the input is not shown."""

    id: str
    kind: Literal["event", "schedule", "other"]
    plan: str | None
    trigger: str | None
    schedule: str | None
    code: str | None
    detail: str | None
    errors: list[LetterFault]
    eventId: str | None
    source: str | None
    detailType: str | None
    sentAt: str


class DeadLetterPage(BaseModel):
    items: list[DeadLetter]
    next: str | None


class RedrivenLetter(BaseModel):
    """`runId` is null where there was nothing to start any more; `skipped` says why."""

    id: str
    runId: str | None
    skipped: str | None
