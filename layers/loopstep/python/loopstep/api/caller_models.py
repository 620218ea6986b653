"""The shapes of callers and of who did something."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

CALLER_ID = r"[A-Za-z0-9:/_+=,.@-]{1,400}"  # of an API key, or an ARN

Role = Literal["viewer", "operator", "approver", "author", "admin"]


class Actor(BaseModel):
    """Who did it: a caller of the API by key, IAM or token (`jwt`), or what starts runs by itself."""

    kind: Literal["key", "iam", "jwt", "schedule", "trigger", "function"]
    id: str
    name: str | None


class Me(Actor):
    """Who calls, and what it may do. `admin` stands for all roles."""

    roles: list[Role]


class PutCaller(BaseModel):
    """What is registered of a caller."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")]
    roles: Annotated[list[Role], Field(min_length=1, max_length=5)]


class Caller(BaseModel):
    """A registered caller. `id` is that of its API key, or its ARN."""

    id: str
    name: str
    roles: list[Role]
    createdAt: str
    updatedAt: str
    updatedBy: Actor | None


class CallerPage(BaseModel):
    items: list[Caller]
    next: str | None


class RemovedCaller(BaseModel):
    id: str
    removed: bool
