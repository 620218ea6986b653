"""The shapes of the routes of documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopstep.knowledge.records import MOST_OF_A_CHANGE

DOCUMENT_ID = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$"

Form = Literal["markdown", "text", "html", "csv", "jsonl"]
Title = Annotated[str, Field(max_length=256)]

# What a body may say it is, and what the ending of a document's id says where it does not.
FORMS_BY_MEDIA = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/plain": "text",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/csv": "csv",
    "application/jsonl": "jsonl",
    "application/jsonlines": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/ndjson": "jsonl",
}
FORMS_BY_ENDING = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


class Document(BaseModel):
    """`revision` is the change of the source that put it there."""

    id: str
    title: str
    form: Form
    bytes: int
    revision: int
    updatedAt: str


class DocumentWithText(Document):
    text: str


class DocumentPage(BaseModel):
    items: list[Document]
    next: str | None


class PutDocument(Document):
    outcome: Literal["created", "replaced", "unchanged"]


class PutDocumentPage(BaseModel):
    """All of them stand under one revision, but those that were not changed."""

    items: list[PutDocument]


class RemovedDocument(BaseModel):
    id: str
    removed: bool


class NewDocument(BaseModel):
    """`form` may be left out where the id's ending says it: .md, .txt, .html, .csv, .jsonl."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(pattern=DOCUMENT_ID)]
    text: str
    title: Title | None = None
    form: Form | None = None


class NewDocuments(BaseModel):
    """Put at once: all of them or none."""

    model_config = ConfigDict(extra="forbid")

    documents: Annotated[list[NewDocument], Field(min_length=1, max_length=MOST_OF_A_CHANGE)]


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    """The schema without references."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
        return {name: _inlined(part, definitions) for name, part in schema.items() if name != "$defs"}
    return [_inlined(part, definitions) for part in schema] if isinstance(schema, list) else schema


_SCHEMA = NewDocuments.model_json_schema()
DOCUMENTS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _inlined(_SCHEMA, _SCHEMA["$defs"])}},
    }
}
DOCUMENT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The document: UTF-8, at most 1 MiB. A DOCUMENT source takes Markdown, text and HTML, a "
        "STRUCTURED_DATA source CSV with a header line and JSON Lines, a GRAPH source the same with the columns "
        "subject, predicate, object and, if wanted, metadata.",
        "content": {media: {"schema": {"type": "string"}} for media in FORMS_BY_MEDIA},
    }
}
