"""The shapes of requests and answers, for validation at the edge and for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from loopstep.api.caller_models import Actor
from loopstep.api.choice_models import Choice, Enclosing

PLAN_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,62}$"
RUN_ID = r"^[A-Za-z0-9_-]{1,70}$"
IDEMPOTENCY_KEY = r"^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$"

RunStatus = Literal["created", "running", "succeeded", "failed", "cancelled", "timed_out"]
Values = dict[str, Any]


class StartRun(BaseModel):
    """A request to start a run. Without `version` the newest one runs; `hold` waits for POST /runs/{run}/start."""

    model_config = ConfigDict(extra="forbid")

    input: Any = Field(default=None, description="The plan's input, an object.")
    version: Annotated[StrictInt, Field(ge=1, le=999_999)] | None = None
    hold: StrictBool = False


class RunStarted(BaseModel):
    runId: str
    plan: str
    version: int
    status: RunStatus


class RunError(BaseModel):
    code: str
    message: str
    nodeId: str | None


class Omitted(BaseModel):
    """A value too large for this answer; `url` reads it, as JSON, for some minutes (none for one with secrets)."""

    bytes: int
    url: str | None


class Run(BaseModel):
    """`input` and `output` are null where there is none, and where `omitted` names them.

    `startedBy`, `redrivenBy` (the latest) and `cancelledBy` say who asked, null where nobody did or it is not known.
    """

    runId: str
    plan: str
    version: int
    status: RunStatus
    epoch: int
    input: Values | None
    output: Values | None
    error: RunError | None
    startedAt: str
    endedAt: str | None
    startedBy: Actor | None = None
    redrivenBy: Actor | None = None
    cancelledBy: Actor | None = None
    omitted: dict[str, Omitted] = {}


class RunPage(BaseModel):
    items: list[Run]
    next: str | None


class ToolUse(BaseModel):
    """One call of a tool that a model asked for; `reason` says why it was not done."""

    tool: str
    outcome: Literal["done", "failed", "refused"]
    reason: str | None = None


class Usage(BaseModel):
    """What an attempt used of models: answered calls and tokens; `omitted` counts tool calls that are not listed."""

    model: str
    calls: int
    inputTokens: int
    outputTokens: int
    toolCalls: list[ToolUse] = []
    omitted: int = 0
    warnings: list[str] = []


class Try(BaseModel):
    """One attempt of a node that acts outside."""

    number: int
    epoch: int
    startedAt: str
    endedAt: str | None
    code: str | None
    usage: Usage | None = None


class ActivationError(BaseModel):
    code: str
    message: str


class Activation(BaseModel):
    """`path` has item indexes and loop iterations, outermost first; `seen` what the port's conditions read.

    `enclosing` are the regions around it, outermost first. `ended`: it was open when the run ended.
    """

    id: str
    nodeId: str
    path: list[int]
    enclosing: list[Enclosing]
    status: Literal["running", "waiting", "completed", "failed", "ended"]
    attempts: int
    input: Values | None
    output: Values | None
    error: ActivationError | None
    port: str | None
    edge: str | None
    seen: list[Any] | None
    choice: Choice | None
    source: str | None
    arrivedBy: str | None
    startedAt: str
    endedAt: str | None
    tries: list[Try]
    until: str | None = None
    wrote: Values | None = None
    revision: int | None = None
    omitted: dict[str, Omitted] = {}


class ActivationPage(BaseModel):
    items: list[Activation]
    next: str | None


class Message(BaseModel):
    id: str
    runId: str
    nodeId: str
    activationId: str
    scope: str
    text: str | None
    sentAt: str
    threadId: str | None
    omitted: dict[str, Omitted] = {}


class MessagePage(BaseModel):
    items: list[Message]
    next: str | None


class Related(BaseModel):
    message: str
    path: str
    line: int
    column: int
    endLine: int
    endColumn: int


class Diagnostic(BaseModel):
    code: str
    severity: Literal["error", "warning"]
    message: str
    path: str
    line: int
    column: int
    endLine: int
    endColumn: int
    hint: str
    related: list[Related]


class Checked(BaseModel):
    valid: bool
    diagnostics: list[Diagnostic]


class Drawn(Checked):
    """`described` is what is drawn, `picture` an SVG of it (a state machine has none); null while there are errors."""

    described: Values | None
    picture: str | None


class Published(BaseModel):
    name: str
    version: int
    unchanged: bool
    machineArn: str
    documentDigest: str
    definitionDigest: str
    createdAt: str
    diagnostics: list[Diagnostic]


class Plan(BaseModel):
    name: str
    version: int
    title: str
    description: str
    createdAt: str
    updatedAt: str


class PlanPage(BaseModel):
    items: list[Plan]
    next: str | None


class PlanDetail(Plan):
    input: Values
    output: Values
    state: Values


class Version(BaseModel):
    name: str
    version: int
    title: str
    description: str
    createdAt: str
    documentDigest: str
    definitionDigest: str
    machineArn: str
    publishedBy: Actor | None = None


class VersionPage(BaseModel):
    items: list[Version]
    next: str | None


class VersionDetail(Version):
    """`pins`: the versions of agents, skills and sources that it uses, by kind and id."""

    input: Values
    output: Values
    state: Values
    document: str
    diagnostics: list[Diagnostic]
    pins: dict[str, dict[str, int]]


class Graph(BaseModel):
    name: str = ""
    title: str = ""
    entry: Values | None
    nodes: list[Values]
    edges: list[Values]
    regions: list[Values] = []


class Definition(BaseModel):
    """A state machine in Amazon States Language."""

    model_config = ConfigDict(extra="allow")

    StartAt: str
    States: Values


class Fault(BaseModel):
    path: str
    code: str
    message: str


class Problem(BaseModel):
    """RFC 9457. `code` is stable; what else is told depends on it (`errors`, `diagnostics`, `runStatus`)."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[Fault] = []
