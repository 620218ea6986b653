"""List prices of us-east-1, without free tiers and discounts, and what a bundle of work comes to."""

from __future__ import annotations

from typing import NamedTuple

from loopstep.costs.work import Work

REGION = "us-east-1"
DATE = "2026-11-30"  # when the prices were last looked up


class Price(NamedTuple):
    """Dollars for `per` units of one field of Work; `source` is the page that says so."""

    field: str
    service: str
    unit: str
    dollars: float
    per: int
    source: str


_STEP_FUNCTIONS = "https://aws.amazon.com/step-functions/pricing/"
_LAMBDA = "https://aws.amazon.com/lambda/pricing/"
_DYNAMODB = "https://aws.amazon.com/dynamodb/pricing/on-demand/"
_S3 = "https://aws.amazon.com/s3/pricing/"

PRICES = (
    Price("states", "Step Functions", "state transitions", 0.025, 1_000, _STEP_FUNCTIONS),
    Price("invocations", "Lambda", "requests", 0.20, 1_000_000, _LAMBDA),
    Price("gb_seconds", "Lambda", "GB-seconds, arm64", 0.0000133334, 1, _LAMBDA),
    Price("writes", "DynamoDB", "write request units", 0.625, 1_000_000, _DYNAMODB),
    Price("reads", "DynamoDB", "read request units", 0.125, 1_000_000, _DYNAMODB),
    Price("puts", "S3", "PUT requests", 0.005, 1_000, _S3),
    Price("gets", "S3", "GET requests", 0.0004, 1_000, _S3),
    Price("events", "EventBridge", "custom events", 1.00, 1_000_000, "https://aws.amazon.com/eventbridge/pricing/"),
    Price("requests", "API Gateway", "REST requests", 3.50, 1_000_000, "https://aws.amazon.com/api-gateway/pricing/"),
)


def price(work: Work, each: Price) -> float:
    """Dollars of the one field that this price is for."""
    amount: float = getattr(work, each.field)
    return amount * each.dollars / each.per


def dollars(work: Work) -> float:
    """All of it together."""
    return sum(price(work, each) for each in PRICES)
