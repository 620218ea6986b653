"""The resolver of the API: Powertools' own, with one kind of route more, and a guard before all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from aws_lambda_powertools.event_handler.api_gateway import ResponseBuilder, Route

if TYPE_CHECKING:
    from loopstep.api.guard import Guard

REST = "<path>"  # at the end of a rule: all that is left of the path, slashes included


class Resolver(APIGatewayRestResolver):
    """Takes `<path>` at the end of a rule for the rest of a request's path; any other `<name>` is one part of it.

    Its guard admits a caller before a request is looked at any further, and sees to repetitions.
    """

    def __init__(self, guard: Guard, **settings: Any) -> None:
        super().__init__(**settings)
        self.guard = guard

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "^{}$") -> re.Pattern[str]:
        compiled: re.Pattern[str] = APIGatewayRestResolver._compile_regex(rule.removesuffix(REST))
        if not rule.endswith(REST):
            return compiled
        return re.compile(compiled.pattern.removesuffix("/*$") + "(?P<path>.+)$", re.S)

    def _call_route(self, route: Route, route_arguments: dict[str, str]) -> ResponseBuilder[Any]:
        def act() -> ResponseBuilder[Any]:
            return APIGatewayRestResolver._call_route(self, route, route_arguments)

        if not any(route is each for each in (*self._static_routes, *self._dynamic_routes)):
            self.guard.last = None
            return act()  # there is none, or a browser's question before one
        try:
            caller = self.guard.admit(self.current_event, route.method, route.path)
            self.append_context(caller=caller)  # type: ignore[no-untyped-call]
            answered = self.guard.repeat(self.current_event, route, caller, act)
        except Exception as error:
            handled = self._call_exception_handler(error, route)
            if handled is None:
                raise
            return handled
        if isinstance(answered, ResponseBuilder):
            return answered
        return self._response_builder_class(response=answered, serializer=self._serializer, route=route)
