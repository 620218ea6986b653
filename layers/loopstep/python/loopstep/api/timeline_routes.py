"""Routes that look into a run: how far it is, its timeline a level at a time, its state at a revision."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import timeline_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.described import replies
from loopstep.api.parameters import Limit, Next, RunId
from loopstep.services import read_state, read_timeline
from loopstep.services.run_levels import PLACE

Within = Annotated[
    str,
    Query(max_length=1400, pattern=rf"{PLACE}|^$", description="`within` of a row: what is inside; without: the run."),
]
RowStatus = Annotated[models.ActivationStatus | None, Query(description="Only rows of this status.")]
Revision = Annotated[int | None, Query(ge=0, le=9_999_999, description="The state's revision, from 0; the newest.")]


def timeline_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.get(
        "/runs/<run>/progress",
        summary="Count a run's activations by node and status",
        tags=["runs"],
        responses=replies({200: ("How far the run is.", models.Progress)}, 400, 404),
    )
    def get_progress(run: RunId) -> Response[str]:
        return answer(200, read_timeline.get_progress(backend.running, run))

    @router.get(
        "/runs/<run>/timeline",
        summary="Read one level of a run's timeline",
        tags=["runs"],
        responses=replies({200: ("A page of rows.", models.TimelinePage)}, 400, 404),
    )
    def list_timeline(
        run: RunId, within: Within = "", status: RowStatus = None, limit: Limit = 50, next: Next = None
    ) -> Response[str]:
        return answer(200, read_timeline.list_timeline(backend.running, run, within, status, limit, next))

    @router.get(
        "/runs/<run>/state",
        summary="Read a run's state at a revision",
        tags=["runs"],
        responses=replies({200: ("The state.", models.RunState)}, 400, 404),
    )
    def get_state(run: RunId, revision: Revision = None) -> Response[str]:
        return answer(200, read_state.get_state(backend.running, run, revision))

    return router
