"""The console's files. These routes need no key, so nothing behind them may hold data: they know no store."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter

from loopstep.api.answers import problem
from loopstep.console.assets import HEADERS, INDEX, asset


def console_routes() -> APIGatewayRouter:
    """The routes; they are not part of the API's description."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]

    @router.get("/console", include_in_schema=False)
    def console() -> Response[str]:
        if router.current_event.path.endswith("/"):
            return _file(router, INDEX)
        # relative, because only the browser knows under which stage or domain the API is
        return Response(308, "text/plain", "", {**HEADERS, "Location": "console/", "Cache-Control": "no-cache"})

    @router.get("/console/<path>", include_in_schema=False)
    def console_file(path: str) -> Response[str]:
        return _file(router, path)

    return router


def _file(router: APIGatewayRouter, path: str) -> Response[str]:
    found = asset(path)
    if found is None:
        return problem(404, "route.unknown", "The console has no such file.", {}, **HEADERS)
    headers = {**HEADERS, "ETag": found.etag, "Cache-Control": found.keep}
    known = router.current_event.headers.get("if-none-match", "")
    if found.etag in known:  # a proxy that compresses may have put W/ before it
        return Response(304, found.content_type, "", headers)
    return Response(200, found.content_type, found.text, headers)
