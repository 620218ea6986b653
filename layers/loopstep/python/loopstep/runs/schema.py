"""The runs table: key and index names, and its definition as `create_table` takes it (ARCHITECTURE §4).

One partition per run. Indexes are sparse and hold keys only: they say which runs or messages there are, and the items
themselves are then read consistently. An attribute that is an index key stands on the indexed kind of item alone
(`status` and `started_at` on heads, `scope` and `sent_at` on messages, `wait` and `asked_at` on waits, `due` and
`due_at` on what the sweeper looks at, `began_at` on activations), so nothing else enters an index.
"""

from __future__ import annotations

from typing import Any

PARTITION_KEY = "run"
SORT_KEY = "sk"

BY_PLAN = "by_plan"  # runs of one plan by start
BY_STATUS = "by_status"  # runs of one status by start
BY_SCOPE = "by_scope"  # messages of one scope by sending
BY_WAIT = "by_wait"  # waits of one kind and status by asking
BY_DUE = "by_due"  # what the sweeper has to look at, by when
BY_START = "by_start"  # activations of one run by start

INDEX_KEYS = {
    BY_PLAN: ("plan", "started_at"),
    BY_STATUS: ("status", "started_at"),
    BY_SCOPE: ("scope", "sent_at"),
    BY_WAIT: ("wait", "asked_at"),
    BY_DUE: ("due", "due_at"),
    BY_START: (PARTITION_KEY, "began_at"),
}

DUE = "sweep"  # the one value of `due`
AT_ONCE = "0"  # a `due_at` before every time

TTL_ATTRIBUTE = "expires_at"  # N, seconds since 1970; set on every item of a finished run


def table_definition(name: str) -> dict[str, Any]:
    """Return the arguments of DynamoDB's `create_table` for a runs table of this name; all keys are strings."""
    names = sorted({PARTITION_KEY, SORT_KEY, *(key for pair in INDEX_KEYS.values() for key in pair)})
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": each, "AttributeType": "S"} for each in names],
        "KeySchema": _key_schema(PARTITION_KEY, SORT_KEY),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index,
                "KeySchema": _key_schema(*pair),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index, pair in INDEX_KEYS.items()
        ],
    }


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
