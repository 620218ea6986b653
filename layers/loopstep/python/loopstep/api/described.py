"""What OpenAPI says of a route beyond its parameters."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse
from pydantic import BaseModel

from loopstep.api.file_models import Upload
from loopstep.api.models import Problem, StartRun
from loopstep.api.wait_models import CallbackAnswer, Decision

_REASONS = {
    400: "The request cannot be read.",
    403: "Who asks may not do this.",
    404: "There is no such thing.",
    409: "It contradicts what stands.",
    410: "It is over.",
    413: "The body is larger than 1 MiB.",
    422: "The content breaks a contract.",
    502: "The compiler did not answer.",
    503: "Try again later.",
}

DOCUMENT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A plan, `loop.plan/v1`, as YAML or JSON.",
        "content": {
            "application/yaml": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object"}},
        },
    }
}
START_BODY: dict[str, Any] = {
    "requestBody": {"required": False, "content": {"application/json": {"schema": StartRun.model_json_schema()}}}
}
DECISION_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": Decision.model_json_schema()}}}
}
CALLBACK_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": CallbackAnswer.inlined()}}}
}

UPLOAD_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": Upload.model_json_schema()}}}
}


def replies(succeeds: dict[int, tuple[str, type[BaseModel]]], *problems: int) -> dict[int, OpenAPIResponse]:
    """The answers of a route: by status, what it means and its shape; and the problems it can have."""
    described: dict[int, OpenAPIResponse] = {}
    for status, (meaning, model) in succeeds.items():
        described[status] = {"description": meaning, "content": {"application/json": {"model": model}}}
    for status in problems:
        content: Any = {"application/problem+json": {"model": Problem}}
        described[status] = {"description": _REASONS[status], "content": content}
    return described


def with_pictures(described: dict[int, OpenAPIResponse]) -> dict[int, OpenAPIResponse]:
    """The answers of a route that can also give a picture."""
    content: Any = described[200].get("content", {})
    content |= {"image/svg+xml": {"schema": {"type": "string"}}, "text/vnd.mermaid": {"schema": {"type": "string"}}}
    return described
