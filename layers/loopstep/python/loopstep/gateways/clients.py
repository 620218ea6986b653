"""AWS clients of the node functions, as cheap to make as botocore allows.

Region, credentials and `AWS_ENDPOINT_URL` come from the environment. A client other than DynamoDB's is made at its
first use: most activations need none.
"""

from __future__ import annotations

import os
from functools import cache, lru_cache
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


@lru_cache(8)
def bedrock(read_timeout: int) -> Any:
    """A client of Bedrock's models that waits this many seconds for a reply and repeats nothing."""
    config = Config(
        connect_timeout=min(5, read_timeout),
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": 1},
        tcp_keepalive=True,
        parameter_validation=False,
    )
    return _session().create_client("bedrock-runtime", config=config)


@lru_cache(8)
def knowledge_bases(read_timeout: int) -> Any:
    """A client of Bedrock's knowledge bases that waits this many seconds for an answer, and asks twice at most."""
    config = Config(
        connect_timeout=min(3, read_timeout),
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": 2},
        tcp_keepalive=True,
    )
    return _session().create_client("bedrock-agent-runtime", config=config)


def _config(**options: Any) -> Config:
    return Config(
        connect_timeout=3,
        read_timeout=10,
        retries={"mode": "standard", "max_attempts": 4},
        tcp_keepalive=True,
        **options,
    )
