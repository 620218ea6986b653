"""Which faults of other services pass by themselves, so that the same request may do well a moment later."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from loopstep.gateways.answer_time import TimeIsUp

# What DynamoDB, S3, Step Functions and Lambda say when they are asked too often, or have trouble of their own.
_CODES = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "ExecutionLimitExceeded",
    "StateMachineLimitExceeded",
    "TooManyRequestsException",
}


def passes(error: Exception) -> bool:
    """Whether it helps to ask again: a service was busy, was in trouble, or did not answer (in time)."""
    if isinstance(error, ClientError):
        response: Any = error.response
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
        return code_of(error) in _CODES or status >= 500
    return isinstance(error, (TimeIsUp, HTTPClientError, ConnectionError))


def code_of(error: Exception) -> str:
    """AWS's code of an error, "" for any other."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""
