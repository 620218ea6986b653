"""What AWS counts and bills, as one bundle that can be added up."""

from __future__ import annotations

from typing import NamedTuple


class Work(NamedTuple):
    """Amounts by what is billed. `items` are the records that a run leaves in the table: they get an expiry later."""

    states: float = 0  # state transitions of Standard workflows
    invocations: float = 0  # Lambda requests
    gb_seconds: float = 0  # Lambda, memory times duration
    writes: float = 0  # DynamoDB write request units; an item of up to 1 KB takes one, two in a transaction
    reads: float = 0  # DynamoDB read request units, consistent, up to 4 KB each
    puts: float = 0  # S3 PUT requests
    gets: float = 0  # S3 GET requests
    events: float = 0  # custom events on a bus
    requests: float = 0  # REST API requests
    models: float = 0  # activations that ask a model
    items: float = 0

    def plus(self, *others: Work) -> Work:
        """The sum."""
        return Work(*map(sum, zip(self, *others, strict=True)))

    def times(self, count: float) -> Work:
        """So many of it."""
        return Work(*(each * count for each in self))
