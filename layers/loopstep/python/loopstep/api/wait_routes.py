"""Routes of approvals and callbacks. A GET shows them, whoever follows it; only a POST answers."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api import wait_models as models
from loopstep.api.answers import answer
from loopstep.api.backend import Backend
from loopstep.api.bodies import json_body
from loopstep.api.described import CALLBACK_BODY, DECISION_BODY, replies
from loopstep.api.guard import admitted
from loopstep.api.parameters import ApprovalFilter, CallbackFilter, Limit, Next, RunFilter, WaitId
from loopstep.runs.waits import APPROVAL, CALLBACK
from loopstep.services import answer_callback as answering
from loopstep.services import decide_approval as deciding
from loopstep.services import list_waits
from loopstep.services.refusals import Malformed


def wait_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    _approvals(router, backend)
    _callbacks(router, backend)
    return router


def _approvals(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/approvals",
        summary="List approvals, the newest first",
        tags=["approvals"],
        responses=replies({200: ("A page of approvals.", models.ApprovalPage)}, 400),
    )
    def list_approvals(
        status: ApprovalFilter = None, run: RunFilter = None, limit: Limit = 50, next: Next = None
    ) -> Response[str]:
        return answer(200, list_waits.list_waits(backend.running, APPROVAL, status, run, limit, next))

    @router.get(
        "/approvals/<id>",
        summary="Read an approval",
        tags=["approvals"],
        responses=replies({200: ("The approval.", models.Approval)}, 404),
    )
    def get_approval(id: WaitId) -> Response[str]:
        return answer(200, list_waits.get_wait(backend.running, APPROVAL, id))

    @router.post(
        "/approvals/<id>",
        summary="Decide an approval, once",
        tags=["approvals"],
        openapi_extensions=DECISION_BODY,
        responses=replies({200: ("The decided approval.", models.Approval)}, 400, 403, 404, 409, 410, 413, 503),
    )
    def decide_approval(id: WaitId) -> Response[str]:
        body = json_body(router.current_event, models.Decision)
        caller = admitted(router)
        by = caller.proven or body.by
        if by is None:
            raise Malformed("request.invalid", "Say who decides: `by`.")
        approved = body.decision == "approved"
        verdict = deciding.Verdict(approved, by, body.comment, caller.proven is None, caller.actor)
        return answer(200, deciding.decide_approval(backend.running, id, verdict))


def _callbacks(router: APIGatewayRouter, backend: Backend) -> None:
    @router.get(
        "/callbacks",
        summary="List callbacks, the newest first",
        tags=["callbacks"],
        responses=replies({200: ("A page of callbacks.", models.CallbackPage)}, 400),
    )
    def list_callbacks(
        status: CallbackFilter = None, run: RunFilter = None, limit: Limit = 50, next: Next = None
    ) -> Response[str]:
        return answer(200, list_waits.list_waits(backend.running, CALLBACK, status, run, limit, next))

    @router.get(
        "/callbacks/<id>",
        summary="Read a callback",
        tags=["callbacks"],
        responses=replies({200: ("The callback.", models.Callback)}, 404),
    )
    def get_callback(id: WaitId) -> Response[str]:
        return answer(200, list_waits.get_wait(backend.running, CALLBACK, id))

    @router.post(
        "/callbacks/<id>",
        summary="Answer a callback, once",
        tags=["callbacks"],
        openapi_extensions=CALLBACK_BODY,
        responses=replies({200: ("The answered callback.", models.Callback)}, 400, 404, 409, 410, 413, 422, 503),
    )
    def answer_callback(id: WaitId) -> Response[str]:
        body = json_body(router.current_event, models.CallbackAnswer)
        given = body.model_fields_set & {"output", "error"}
        if len(given) != 1 or (body.error is None and "error" in given):
            raise Malformed("request.invalid", "Give either `output` or `error`.")
        by = admitted(router).actor
        if body.error is not None:
            item = answering.fail_callback(backend.running, id, body.error.code, body.error.message, by)
        else:
            item = answering.complete_callback(backend.running, id, body.output, by)
        return answer(200, item)
