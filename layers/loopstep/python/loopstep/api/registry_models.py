"""The shapes of what is registered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from loopstep.api.models import Diagnostic

ENTRY_ID = r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$"
SCOPE_NAME = r"[^\x00-\x1f\x7f%\ufffd]{1,256}"  # what a path can name; others are used without being registered

SourceKind = Literal["DOCUMENT", "STRUCTURED_DATA", "GRAPH"]
FieldType = Literal["string", "number", "integer", "boolean", "array", "object", "filePath", "directoryPath"]


class Registered(BaseModel):
    """`unchanged`: the newest version already had this content."""

    id: str
    version: int
    unchanged: bool
    digest: str
    createdAt: str
    updatedAt: str
    diagnostics: list[Diagnostic]


class Removed(BaseModel):
    id: str
    removed: bool


class DeclaredField(BaseModel):
    """An input that a skill takes, or an output that it gives."""

    name: str
    type: str
    required: bool
    description: str


class Worker(BaseModel):
    """A skill or an agent. `tools` is null where it may use all there are, `model` where it is the stack's."""

    name: str
    description: str
    instructions: str
    inputs: list[DeclaredField]
    outputs: list[DeclaredField]
    skills: list[str]
    sources: list[str]
    tools: list[str] | None
    model: str | None


class Source(BaseModel):
    """A knowledge source. `managed` names a knowledge base of Amazon Bedrock; null: its own documents."""

    name: str
    description: str
    kind: SourceKind
    managed: dict[str, Any] | None
    enabled: bool


class Scope(BaseModel):
    """Where messages go. `maxPerRun` is the most that one run may send there; null: no limit."""

    description: str
    maxPerRun: int | None


class Brief(BaseModel):
    """What lists show."""

    id: str
    version: int
    name: str
    description: str
    createdAt: str
    updatedAt: str


class BriefSource(Brief):
    kind: SourceKind
    enabled: bool


class BriefPage(BaseModel):
    items: list[Brief]
    next: str | None


class BriefSourcePage(BaseModel):
    items: list[BriefSource]
    next: str | None


class _Newest(BaseModel):
    id: str
    version: int
    createdAt: str
    updatedAt: str


class _Numbered(BaseModel):
    id: str
    version: int


class WorkerNow(Worker, _Newest):
    """The newest version."""


class WorkerVersion(Worker, _Numbered):
    """One version."""


class SourceNow(Source, _Newest):
    """The newest version."""


class SourceVersion(Source, _Numbered):
    """One version."""


class ScopeNow(Scope, _Newest):
    """The newest version."""

    name: str


class EntryVersion(BaseModel):
    id: str
    version: int
    digest: str
    createdAt: str


class EntryVersionPage(BaseModel):
    items: list[EntryVersion]
    next: str | None


class PutField(BaseModel):
    """A field; its name alone, as a text, is a string that may be left out."""

    name: str
    type: FieldType = "string"
    required: bool = False
    description: str = ""


class PutWorker(BaseModel):
    """What may be left out has the default that the newest version shows."""

    name: str = ""
    description: str = ""
    instructions: str
    inputs: list[PutField | str] = []
    outputs: list[PutField | str] = []
    skills: list[str] = []
    sources: list[str] = []
    tools: list[str] | None = None
    model: str | None = None


class PutSource(BaseModel):
    """Without `managed` the source is asked for the documents that are put into it."""

    name: str = ""
    description: str = ""
    kind: SourceKind
    managed: dict[str, Any] | None = None
    enabled: bool = True


class PutScope(BaseModel):
    """Limits of a scope."""

    description: str = ""
    maxPerRun: Annotated[int, Field(ge=1)] | None = None


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """The schema without references, for a place where none resolves."""
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    definitions = definitions | schema.get("$defs", {})
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {name: _inlined(each, definitions) for name, each in schema.items() if name != "$defs"}


def body_of(model: type[BaseModel], markdown: bool) -> dict[str, Any]:
    """The request body in OpenAPI's words."""
    schema = _inlined(model.model_json_schema(), {})
    content: dict[str, Any] = {"application/json": {"schema": schema}, "application/yaml": {"schema": schema}}
    described = "The content, as JSON or YAML."
    if markdown:
        content["text/markdown"] = {"schema": {"type": "string"}}
        described = "A SKILL.md (front matter, then instructions), or the same fields as JSON or YAML."
    return {"requestBody": {"required": True, "description": described, "content": content}}
