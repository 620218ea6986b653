"""Routes below /plans: check, publish, read."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import models
from loopstep.api.answers import PICTURE_HEADERS, answer, text_answer
from loopstep.api.asking import ask_compiler
from loopstep.api.backend import Backend
from loopstep.api.described import DOCUMENT_BODY, replies, with_pictures
from loopstep.api.guard import admitted
from loopstep.api.parameters import GraphFormat, Limit, Next, PlanName, VersionNumber, View
from loopstep.services import read_plan
from loopstep.services.views import DATA, DEFINITION


def plan_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _compiling(router, backend)
    _drawing(router, backend)
    _reading_plans(router, backend)
    _reading_versions(router, backend)
    return router


def _compiling(router: APIGatewayRouter, backend: Backend) -> None:
    @router.post(
        "/plans/check",
        summary="Check a document",
        tags=["plans"],
        openapi_extensions=DOCUMENT_BODY,
        responses=replies({200: ("What there is to say about the document.", models.Checked)}, 413, 502, 503),
    )
    def check_plan() -> Response[str]:
        return ask_compiler(router, backend, {"action": "check"})

    @router.put(
        "/plans/<name>",
        summary="Publish a document as the next version of a plan",
        tags=["plans"],
        openapi_extensions=DOCUMENT_BODY,
        responses=replies(
            {
                200: ("The newest version is this document already.", models.Published),
                201: ("A new version.", models.Published),
            },
            *(400, 409, 413, 422, 502, 503),
        ),
    )
    def publish_plan(name: PlanName) -> Response[str]:
        return ask_compiler(
            router, backend, {"action": "publish", "name": name, "by": admitted(router).actor.to_json()}
        )


def _drawing(router: APIGatewayRouter, backend: Backend) -> None:
    @router.post(
        "/plans/draw",
        summary="Draw a document: its graph, its data, or its state machine",
        tags=["plans"],
        openapi_extensions=DOCUMENT_BODY,
        responses=replies({200: ("The picture, if the document has no errors.", models.Drawn)}, 400, 413, 502, 503),
    )
    def draw_plan(view: View = "graph") -> Response[str]:
        def drawn(body: dict[str, Any]) -> dict[str, Any]:
            from loopstep.services import draw_plan  # no other request needs it

            described, picture = body["described"], None
            if described is not None and view != DEFINITION:
                picture = draw_plan.draw_data(described) if view == DATA else draw_plan.draw_graph(described, "svg")
            return {**body, "picture": picture}

        return ask_compiler(router, backend, {"action": "draw", "view": view}, drawn)


def _reading_plans(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/plans",
        summary="List plans by name",
        tags=["plans"],
        responses=replies({200: ("A page of plans.", models.PlanPage)}, 400),
    )
    def list_plans(limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, read_plan.list_plans(backend.plans, limit, next))

    @router.get(
        "/plans/<name>",
        summary="Read a plan",
        tags=["plans"],
        responses=replies({200: ("The plan as its newest version declares it.", models.PlanDetail)}, 400, 404),
    )
    def get_plan(name: PlanName) -> Response[str]:
        return answer(200, read_plan.get_plan(backend.plans, name))

    @router.get(
        "/plans/<name>/versions",
        summary="List the versions of a plan, the newest first",
        tags=["plans"],
        responses=replies({200: ("A page of versions.", models.VersionPage)}, 400, 404),
    )
    def list_versions(name: PlanName, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, read_plan.list_versions(backend.plans, name, limit, next))


def _reading_versions(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/plans/<name>/versions/<version>",
        summary="Read a version with its document",
        tags=["plans"],
        responses=replies({200: ("The version.", models.VersionDetail)}, 400, 404),
    )
    def get_version(name: PlanName, version: VersionNumber) -> Response[str]:
        return answer(200, read_plan.get_version(backend.plans, name, version))

    @router.get(
        "/plans/<name>/versions/<version>/graph",
        summary="Read a version's nodes and edges, or their picture",
        tags=["plans"],
        responses=with_pictures(replies({200: ("The graph.", models.Graph)}, 400, 404)),
    )
    def get_graph(name: PlanName, version: VersionNumber, format: GraphFormat = "json") -> Response[str]:
        if format == "json":
            return text_answer(200, read_plan.get_text(backend.plans, name, version, "graph"))
        from loopstep.services import draw_plan  # no other request needs it

        picture = draw_plan.draw_version(backend.plans, name, version, format)
        return text_answer(200, picture, draw_plan.MEDIA_TYPES[format], **PICTURE_HEADERS)

    @router.get(
        "/plans/<name>/versions/<version>/definition",
        summary="Read a version's state machine",
        tags=["plans"],
        responses=replies({200: ("Amazon States Language.", models.Definition)}, 400, 404),
    )
    def get_definition(name: PlanName, version: VersionNumber) -> Response[str]:
        return text_answer(200, read_plan.get_text(backend.plans, name, version, "definition"))
