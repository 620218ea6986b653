"""AWS clients of the node functions, as cheap to make as botocore allows.

Region, credentials and `AWS_ENDPOINT_URL` come from the environment. A client other than DynamoDB's is made at its
first use: most activations need none.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import botocore.session
from botocore.config import Config


@cache
def _session() -> Any:
    return botocore.session.get_session()


@cache
def dynamodb() -> Any:
    """The DynamoDB client; the SDK repeats lost requests, each transaction under its own token."""
    return _session().create_client("dynamodb", config=_config(parameter_validation=False))


@cache
def s3() -> Any:
    """The S3 client; a local endpoint has no host name a bucket."""
    style = {"addressing_style": "path"} if "AWS_ENDPOINT_URL" in os.environ else None
    return _session().create_client("s3", config=_config(s3=style))


@cache
def events() -> Any:
    """The EventBridge client."""
    return _session().create_client("events", config=_config())


@cache
def stepfunctions() -> Any:
    """The Step Functions client."""
    return _session().create_client("stepfunctions", config=_config())


def _config(**options: Any) -> Config:
    return Config(
        connect_timeout=3,
        read_timeout=10,
        retries={"mode": "standard", "max_attempts": 4},
        tcp_keepalive=True,
        **options,
    )
