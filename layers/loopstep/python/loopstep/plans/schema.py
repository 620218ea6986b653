"""The plans table: key and index names, and its definition as `create_table` takes it (ARCHITECTURE §4)."""

from __future__ import annotations

from typing import Any

BY_KIND = "by_kind"  # plan heads by name; other registered things under kinds of their own


def table_definition(name: str) -> dict[str, Any]:
    """Return the arguments of DynamoDB's `create_table` for a plans table of this name; all keys are strings."""
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": each, "AttributeType": "S"} for each in ("kind", "name", "pk", "sk")
        ],
        "KeySchema": _key_schema("pk", "sk"),
        "GlobalSecondaryIndexes": [
            {"IndexName": BY_KIND, "KeySchema": _key_schema("kind", "name"), "Projection": {"ProjectionType": "ALL"}}
        ],
    }


def _key_schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
