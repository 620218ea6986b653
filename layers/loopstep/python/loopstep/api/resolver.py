"""The resolver of the API: Powertools' own, with one kind of route more."""

from __future__ import annotations

import re

from aws_lambda_powertools.event_handler import APIGatewayRestResolver

REST = "<path>"  # at the end of a rule: all that is left of the path, slashes included


class Resolver(APIGatewayRestResolver):
    """Takes `<path>` at the end of a rule for the rest of a request's path; any other `<name>` is one part of it."""

    @staticmethod
    def _compile_regex(rule: str, base_regex: str = "^{}$") -> re.Pattern[str]:
        compiled: re.Pattern[str] = APIGatewayRestResolver._compile_regex(rule.removesuffix(REST))
        if not rule.endswith(REST):
            return compiled
        return re.compile(compiled.pattern.removesuffix("/*$") + "(?P<path>.+)$", re.S)
