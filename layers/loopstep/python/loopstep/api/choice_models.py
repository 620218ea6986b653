"""The shapes of where an activation stands in its plan and why it left through its edge."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class Enclosing(BaseModel):
    """A region around an activation. `index`: of the item, or of the pass of a loop, from 0; null for a branch."""

    kind: Literal["loop", "items", "branches"]
    nodeId: str
    part: str
    index: int | None


class Operand(BaseModel):
    """What a condition read; `***` where it is secret."""

    text: str
    value: Any


class Tried(BaseModel):
    """An edge of the port. `holds` is null for the default, and where an edge before it held."""

    edge: str
    when: str | None
    holds: bool | None


class Asked(BaseModel):
    text: str
    holds: bool


class Choice(BaseModel):
    """Why an activation left through its edge; `edges` as they were tried, `while` at a loop."""

    port: str
    while_: Asked | None = Field(alias="while")
    operands: list[Operand]
    edges: list[Tried]
