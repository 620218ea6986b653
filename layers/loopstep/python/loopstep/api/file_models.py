"""The shapes of the routes of working directories."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt


class Upload(BaseModel):
    """What is to be written."""

    model_config = ConfigDict(extra="forbid")

    bytes: Annotated[StrictInt, Field(ge=0, description="The file's length; no other can be uploaded.")]


class FileLink(BaseModel):
    """A request that moves the file's bytes, good until `expiresAt`; `headers` have to be sent as they are."""

    path: str
    method: str
    url: str
    headers: dict[str, str]
    expiresAt: str


class RunFile(BaseModel):
    path: str
    bytes: int
    modifiedAt: str


class RunFilePage(BaseModel):
    items: list[RunFile]
    next: str | None


class RemovedFile(BaseModel):
    path: str
