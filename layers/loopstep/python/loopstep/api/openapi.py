"""The API's own description: generated from the routes (`python -m loopstep.api.generate`), kept beside
this file and served as it is, so that no request waits for it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response

from loopstep import __version__
from loopstep.api.answers import text_answer
from loopstep.api.models import IDEMPOTENCY_KEY

FILE = Path(__file__).with_name("openapi.json")


def serve_openapi(app: APIGatewayRestResolver) -> None:
    """Add GET /openapi.json."""

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> Response[str]:
        return text_answer(200, _text())


def generate(app: APIGatewayRestResolver) -> str:
    """OpenAPI 3.1 of the app's routes, the same every time."""
    from aws_lambda_powertools.event_handler.openapi.models import APIKey  # 125 ms that no request needs

    text = app.get_openapi_json_schema(
        title="loopstep",
        version=__version__,
        description="Typed workflow plans, compiled to AWS Step Functions.",
        security_schemes={"apiKey": APIKey.model_validate({"name": "x-api-key", "in": "header"})},
        security=[{"apiKey": []}],
    )
    document = json.loads(text)
    _name_operations(app, document)
    _drop_defaults(document)
    _add_common(document)
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _name_operations(app: APIGatewayRestResolver, document: dict[str, Any]) -> None:
    for route in app._static_routes + app._dynamic_routes:
        operation = document["paths"].get(route.openapi_path, {}).get(route.method.lower())
        if operation:
            operation["operationId"] = route.func.__name__


def _drop_defaults(document: dict[str, Any]) -> None:
    """Powertools describes answers of its own that this API never gives: every error is a Problem."""
    for path in document["paths"].values():
        for operation in path.values():
            if "HTTPValidationError" in json.dumps(operation["responses"].get("422", {})):
                del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError", "ResponseValidationError"):
        document["components"]["schemas"].pop(name, None)


def _add_common(document: dict[str, Any]) -> None:
    """What every route can answer: the gateway's own refusals, whose problems tell less, and the request for patience.

    What stands in a path can have no form that an id has (400), or make it no path of a route (404).
    """
    schemas = document["components"]["schemas"]
    schemas["GatewayProblem"] = _GATEWAY_PROBLEM
    for name, path in document["paths"].items():
        for method, operation in path.items():
            responses = operation["responses"]
            mine = _ANY | (_OF_PATHS if "{" in name else {})
            if method == "post":
                _add_key(operation)
                mine |= _OF_POSTS
            for status, meaning in mine.items():
                problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
                responses.setdefault(status, {"description": meaning, "content": {_PROBLEM: problem}})
            for status, meaning in _BY_GATEWAY.items():
                found = responses.setdefault(status, {"description": meaning, "content": {}})
                own = found["content"].get(_PROBLEM, {}).get("schema")
                gateway = {"$ref": "#/components/schemas/GatewayProblem"}
                found["content"][_PROBLEM] = {"schema": {"anyOf": [own, gateway]} if own else gateway}


def _add_key(operation: dict[str, Any]) -> None:
    """Every POST takes an Idempotency-Key."""
    parameters = operation.setdefault("parameters", [])
    if all(each["name"].lower() != "idempotency-key" for each in parameters):
        said = "The same key with the same request gives the same answer; 1 to 255 printable ASCII characters."
        schema = {"type": "string", "pattern": IDEMPOTENCY_KEY}
        parameters.append(
            {"name": "idempotency-key", "in": "header", "required": False, "description": said, "schema": schema}
        )


_PROBLEM = "application/problem+json"
_ANY = {"403": "Who asks may not do this.", "503": "Try again later."}
_OF_POSTS = {"400": "The request cannot be read.", "409": "It contradicts what stands."}
_OF_PATHS = {"400": "The request cannot be read.", "404": "There is no such thing."}
_BY_GATEWAY = {
    "401": "No token, or one that counts no more.",
    "403": "No key, or one that may not do this.",
    "429": "Too many requests at the same time.",
}
_GATEWAY_PROBLEM = {
    "title": "GatewayProblem",
    "description": "How API Gateway itself refuses a request.",
    "type": "object",
    "properties": {"code": {"type": "string"}, "title": {"type": "string"}},
    "required": ["code", "title"],
}


@cache
def _text() -> str:
    return FILE.read_text(encoding="utf-8")
