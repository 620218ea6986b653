"""A run that is wider than a test could wait for: records as the functions write them, many times over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3

from loopstep.cli.local import cloud

BATCH = 25  # what BatchWriteItem takes
FAILED = json.dumps({"code": "too.odd", "message": "7 is too odd"})


def widen(state: cloud.State, run: str, items: int, failed: int) -> None:
    """Gives a run as many activations of `check` as items, the last ones copies of its first; one has failed."""
    client = boto3.client(
        "dynamodb",
        endpoint_url=state["endpoint"],
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    table = state["outputs"]["RunsTable"]
    key = {"run": {"S": run}, "sk": {"S": "act#check#0"}}
    first = client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
    copies = list(_copies(first, items, failed))
    batches = [copies[at : at + BATCH] for at in range(0, len(copies), BATCH)]

    def write(batch: list[dict[str, Any]]) -> None:
        request: Any = {table: [{"PutRequest": {"Item": item}} for item in batch]}
        while request:
            request = client.batch_write_item(RequestItems=request).get("UnprocessedItems")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, batches))


def _copies(first: dict[str, Any], items: int, failed: int) -> Iterator[dict[str, Any]]:
    for index in range(1, items):
        item = {**first, "sk": {"S": f"act#check#{index}"}, "path": {"S": str(index)}, "owner": {"S": f"seed {index}"}}
        if index == failed:
            item |= {"act_status": {"S": "failed"}, "error": {"S": FAILED}, "port": {"S": "failed"}}
            item.pop("edge", None)
        yield item
