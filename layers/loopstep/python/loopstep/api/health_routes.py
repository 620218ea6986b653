"""The route that says how the stack is."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter
from pydantic import BaseModel, Field

from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.described import replies
from loopstep.services.examine_stack import examine_stack


class Health(BaseModel):
    """Of the stack. The sweeper comes every minute, and what it has to finish is finished within minutes."""

    version: str = Field(description="Of loopstep.")
    at: str
    sweptAt: str | None = Field(description="When the sweeper was here last.")
    stuckRuns: list[str] = Field(description="Runs that go on five minutes after their timeout, at most 20.")
    overdue: int = Field(description="Decisions and regions that wait for the sweeper five minutes, at most 100.")


def health_routes(backend: Backend) -> APIGatewayRouter:
    """The route, bound to what it works with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.get(
        "/health",
        summary="Say how the stack is",
        tags=["stack"],
        responses=replies({200: ("How it is; what is wrong is no error of the request.", Health)}, 503),
    )
    def health() -> Response[str]:
        return answer(200, examine_stack(backend.running))

    return router
