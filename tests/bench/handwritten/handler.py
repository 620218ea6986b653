"""A step as one would write it by hand: one consistent read, one transaction, one log line.

It reads and writes what loopstep's set_variable does, item by item and attribute by attribute: head, state, the record
of the step before, its own record; then its own record and the state change, guarded by the head.
"""

from __future__ import annotations

import datetime
import json
import os
import uuid
from typing import Any

import boto3

TABLE = os.environ["TABLE"]
dynamodb: Any = boto3.client("dynamodb")


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    token, node = event["token"], event["node"]
    began = now()
    run, owner = token["run"], str(uuid.uuid4())
    found = read(run, ["head", "state", f"act#{token['node']}#", f"act#{node}#"])
    if "act_status" in found.get(f"act#{node}#", {}):
        return {**token, "node": node, "from": "", "port": "completed", "edge": event["edge"]}
    state = found["state"]
    amount = json.loads(state["f_total"]["S"])
    total = json.dumps(amount + event["add"])
    record = {
        "node": {"S": node},
        "path": {"S": ""},
        "act_status": {"S": "completed"},
        "owner": {"S": owner},
        "began_at": {"S": began},
        "ended_at": {"S": now()},
        "port": {"S": "completed"},
        "edge": {"S": event["edge"]},
        "source": {"S": f"{token['node']}#"},
        "arrived_by": {"S": token["edge"]},
        "epoch": {"N": "1"},
        "w_total": {"S": total},
        "input": {"S": json.dumps({"amount": amount})},
        "rev": {"N": str(int(state["rev"]["N"]) + 1)},
    }
    write(run, node, record, total, state["rev"]["N"])
    print(json.dumps({"level": "INFO", "run": run, "node": node, "status": "completed", "began": began}))
    return {**token, "node": node, "from": "", "port": "completed", "edge": event["edge"]}


def read(run: str, keys: list[str]) -> dict[str, dict[str, Any]]:
    wanted = [{"run": {"S": run}, "sk": {"S": key}} for key in keys]
    reply = dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": wanted, "ConsistentRead": True}})
    return {item["sk"]["S"]: item for item in reply["Responses"][TABLE]}


def write(run: str, node: str, record: dict[str, Any], total: str, rev: str) -> None:
    names = {f"#s{index}": name for index, name in enumerate(record)}
    values = {f":s{index}": value for index, value in enumerate(record.values())}
    activation = {
        "TableName": TABLE,
        "Key": {"run": {"S": run}, "sk": {"S": f"act#{node}#"}},
        "UpdateExpression": "SET " + ", ".join(f"#s{index} = :s{index}" for index in range(len(record))),
        "ConditionExpression": "attribute_not_exists(#act) OR #act IN (:running, :waiting)",
        "ExpressionAttributeNames": {"#act": "act_status", **names},
        "ExpressionAttributeValues": {":running": {"S": "running"}, ":waiting": {"S": "waiting"}, **values},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    state = {
        "TableName": TABLE,
        "Key": {"run": {"S": run}, "sk": {"S": "state"}},
        "UpdateExpression": "SET #total = :total, #rev = :next",
        "ConditionExpression": "#rev = :rev",
        "ExpressionAttributeNames": {"#total": "f_total", "#rev": "rev"},
        "ExpressionAttributeValues": {":total": {"S": total}, ":rev": {"N": rev}, ":next": record["rev"]},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    head = {
        "TableName": TABLE,
        "Key": {"run": {"S": run}, "sk": {"S": "head"}},
        "ConditionExpression": "#status = :running AND #epoch = :epoch",
        "ExpressionAttributeNames": {"#status": "status", "#epoch": "epoch"},
        "ExpressionAttributeValues": {":running": {"S": "running"}, ":epoch": {"N": "1"}},
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    dynamodb.transact_write_items(TransactItems=[{"Update": activation}, {"Update": state}, {"ConditionCheck": head}])


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
