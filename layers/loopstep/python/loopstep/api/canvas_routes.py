"""Routes below /canvas: a canvas document to a plan, and what an editor offers for a node's inputs (CANVAS §2)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayRouter
from pydantic import BaseModel

from loopstep.api.asking import ask_compiler
from loopstep.api.backend import Backend
from loopstep.api.described import replies
from loopstep.api.models import Diagnostic

NodeId = Annotated[str, Query(min_length=1, max_length=1024, description="The canvas node's id.")]

CANVAS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A canvas document: `{id, name, nodes, edges}`, as an editor on Vue Flow exports it.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


class Imported(BaseModel):
    """`plan` is null (and `text`, the same as YAML, empty) where a diagnostic is an error."""

    plan: dict[str, Any] | None
    text: str
    diagnostics: list[Diagnostic]


class MappingOption(BaseModel):
    """An output field of a node before; the last three by declared input."""

    nodeId: str
    field: str
    type: str
    fits: dict[str, Literal["exact", "implicit", "converted", "incompatible"]]
    conversion: dict[str, str]
    modes: dict[str, list[str]]


class MappingOptions(BaseModel):
    """The nearest node first."""

    options: list[MappingOption]


def canvas_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.post(
        "/canvas/import",
        summary="Lower a canvas document to a plan",
        tags=["canvas"],
        openapi_extensions=CANVAS_BODY,
        responses=replies({200: ("The plan, and what there is to say about the canvas.", Imported)}, 413, 502, 503),
    )
    def import_canvas() -> Response[str]:
        return ask_compiler(router, backend, {"action": "import"})

    @router.post(
        "/canvas/mappings",
        summary="List what the inputs of a canvas node can be taken from",
        tags=["canvas"],
        openapi_extensions=CANVAS_BODY,
        responses=replies({200: ("The options.", MappingOptions)}, 400, 404, 413, 422, 502, 503),
    )
    def list_mappings(node: NodeId) -> Response[str]:
        return ask_compiler(router, backend, {"action": "mappings", "node": node})

    return router
