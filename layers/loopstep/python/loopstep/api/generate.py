"""`python -m loopstep.api.generate` writes `openapi.json` anew; a test says when that is due."""

from __future__ import annotations

from typing import Any

from aws_lambda_powertools import Logger

from loopstep.api.app import create_app
from loopstep.api.openapi import FILE, generate


def openapi_text() -> str:
    """OpenAPI of the routes; what they work with is not asked."""
    backend: Any = None
    return generate(create_app(backend, Logger(service="loopstep")))


if __name__ == "__main__":
    FILE.write_text(openapi_text(), encoding="utf-8")
