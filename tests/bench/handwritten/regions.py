"""Maps, Parallels and loops as one would write them by hand: a Task is one consistent read, one transaction, one line.

Item by item and attribute by attribute it reads and writes what loopstep's fan_out, pass, join, loop, set_variable and
end do. `do` says which: open, part, gather, count, add, end.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import uuid
from typing import Any

import boto3

TABLE, BUCKET = os.environ["TABLE"], os.environ["BUCKET"]
dynamodb: Any = boto3.client("dynamodb")
s3: Any = boto3.client("s3") if BUCKET else None
KEPT = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    token, node, began = event["token"], event["node"], now()
    run, path, source = token["run"], str(event.get("path", token["path"])), f"{token['node']}#{token['from']}"
    own = f"act#{node}#{path}"
    found = read(run, ["head", "state", own, f"act#{source}", *extra_keys(event, token, path)])
    reply = {**token, "path": path, "node": node, "from": path, "port": "completed", "edge": event["edge"]}
    if "act_status" not in found.get(own, {}):
        record = {
            "node": {"S": node},
            "path": {"S": path},
            "act_status": {"S": "completed"},
            "owner": {"S": str(uuid.uuid4())},
            "began_at": {"S": began},
            "ended_at": {"S": now()},
            "port": {"S": "completed"},
            "edge": {"S": event["edge"]},
            "source": {"S": source},
            "arrived_by": {"S": token["edge"]},
            "epoch": {"N": "1"},
            "input": {"S": "{}"},
        }
        DO[event["do"]](event, token, found, record, run, path)
    print(json.dumps({"level": "INFO", "run": run, "node": node, "path": path, "status": "completed", "began": began}))
    return after(event, reply, found, path)


def extra_keys(event: dict[str, Any], token: dict[str, Any], path: str) -> list[str]:
    """What else a Task reads: a part the race of its join, a loop its own round before."""
    if event["do"] == "part":
        return [f"race#{event['join']}#"]
    return [f"act#{event['node']}#{int(path) - 1}"] if event["do"] == "count" and int(path) else []


def after(event: dict[str, Any], reply: dict[str, Any], found: dict[str, Any], path: str) -> dict[str, Any]:
    """The token that leaves; of a Map's opening with the number of items, of a loop with the next round."""
    if event["do"] == "open" and event.get("items"):
        count = len(json.loads(found["head"]["input"]["S"])["numbers"])
        return {**reply, "n": count, "items": f"{reply['run']}.json"}
    if event["do"] == "count":
        going = int(path) < event["rounds"]
        return {**reply, "port": "body" if going else "completed", "next": int(path) + 1}
    if event["do"] == "add":
        return {**reply, "next": int(path) + 1}
    return reply


def open_region(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    if event.get("items"):
        numbers = json.loads(found["head"]["input"]["S"])["numbers"]
        record |= {"items": {"S": json.dumps(numbers)}, "item_count": {"N": str(len(numbers))}}
        if event.get("distributed"):
            s3.put_object(Bucket=BUCKET, Key=f"{run}.json", Body=json.dumps(list(range(len(numbers)))))
    write(run, [activation(run, event["node"], path, record), head_check(run)])


def part(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    items = found.get(f"act#{token['node']}#{token['from']}", {}).get("items")
    value = json.dumps({"n": json.loads(items["S"])[int(path)] if items else 1})
    record["input"] = {"S": value}
    name = path.zfill(6) if items else event["branch"]
    arrival = {
        **key(run, f"arr#{event['join']}##{name}"),
        "edge": record["edge"],
        "source": {"S": f"{event['node']}#{path}"},
        "value": {"S": value},
    }
    spot = hashlib.sha256(f"{event['node']}#{path}".encode()).digest()
    fence = check(
        key(run, f"fence#{spot[0] % 16:02d}"),
        "#fence = :running AND #epoch = :epoch",
        {"#fence": "fence", "#epoch": "epoch"},
        {":running": {"S": "running"}, ":epoch": {"N": "1"}},
    )
    guard = check(key(run, f"guard#{event['join']}##{spot[1] % 16:02d}"), "attribute_not_exists(#run)", {"#run": "run"})
    put = {
        "TableName": TABLE,
        "Item": arrival,
        "ConditionExpression": "attribute_not_exists(#run)",
        "ExpressionAttributeNames": {"#run": "run"},
        **KEPT,
    }
    write(run, [activation(run, event["node"], path, record), fence, guard, {"Put": put}])


def gather(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    read(run, [f"race#{event['node']}#"])
    request = {
        "TableName": TABLE,
        "KeyConditionExpression": "#run = :run AND begins_with(#sk, :prefix)",
        "ExpressionAttributeNames": {"#run": "run", "#sk": "sk"},
        "ExpressionAttributeValues": {":run": {"S": run}, ":prefix": {"S": f"arr#{event['node']}##"}},
        "ConsistentRead": True,
    }
    values: list[Any] = []
    while True:
        page = dynamodb.query(**request)
        values += [json.loads(item["value"]["S"])["n"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    if len(values) != int(event["count"] or found[f"act#{token['node']}#"]["item_count"]["N"]):
        raise RuntimeError("a part is missing")
    record["output"] = {"S": json.dumps({"numbers": values})}
    write(run, [activation(run, event["node"], path, record), head_check(run)])


def count(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    write(run, [activation(run, event["node"], path, record), head_check(run)])


def add(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    state = found["state"]
    total, rev = json.dumps(json.loads(state["f_total"]["S"]) + 1), state["rev"]["N"]
    record |= {"w_total": {"S": total}, "rev": {"N": str(int(rev) + 1)}}
    change = {
        "TableName": TABLE,
        "Key": key(run, "state"),
        "UpdateExpression": "SET #total = :total, #rev = :next",
        "ConditionExpression": "#rev = :rev",
        "ExpressionAttributeNames": {"#total": "f_total", "#rev": "rev"},
        "ExpressionAttributeValues": {":total": {"S": total}, ":rev": {"N": rev}, ":next": record["rev"]},
        **KEPT,
    }
    write(run, [activation(run, event["node"], path, record), {"Update": change}, head_check(run)])


def end(
    event: dict[str, Any], token: dict[str, Any], found: dict[str, Any], record: dict[str, Any], run: str, path: str
) -> None:
    head = {
        "TableName": TABLE,
        "Key": key(run, "head"),
        "UpdateExpression": "SET #status = :done, #ended = :ended",
        "ConditionExpression": "#status = :running AND #epoch = :epoch",
        "ExpressionAttributeNames": {"#status": "status", "#epoch": "epoch", "#ended": "ended_at"},
        "ExpressionAttributeValues": {
            ":running": {"S": "running"},
            ":epoch": {"N": "1"},
            ":done": {"S": "succeeded"},
            ":ended": {"S": now()},
        },
        **KEPT,
    }
    write(run, [activation(run, event["node"], path, record), {"Update": head}])


DO = {"open": open_region, "part": part, "gather": gather, "count": count, "add": add, "end": end}


def read(run: str, names: list[str]) -> dict[str, dict[str, Any]]:
    wanted = [key(run, name) for name in dict.fromkeys(names)]
    reply = dynamodb.batch_get_item(RequestItems={TABLE: {"Keys": wanted, "ConsistentRead": True}})
    return {item["sk"]["S"]: item for item in reply["Responses"][TABLE]}


def write(run: str, parts: list[dict[str, Any]]) -> None:
    dynamodb.transact_write_items(TransactItems=parts)


def key(run: str, name: str) -> dict[str, Any]:
    return {"run": {"S": run}, "sk": {"S": name}}


def activation(run: str, node: str, path: str, record: dict[str, Any]) -> dict[str, Any]:
    names = {f"#s{index}": name for index, name in enumerate(record)}
    values = {f":s{index}": value for index, value in enumerate(record.values())}
    update = {
        "TableName": TABLE,
        "Key": key(run, f"act#{node}#{path}"),
        "UpdateExpression": "SET " + ", ".join(f"#s{index} = :s{index}" for index in range(len(record))),
        "ConditionExpression": "attribute_not_exists(#act) OR #act IN (:running, :waiting)",
        "ExpressionAttributeNames": {"#act": "act_status", **names},
        "ExpressionAttributeValues": {":running": {"S": "running"}, ":waiting": {"S": "waiting"}, **values},
        **KEPT,
    }
    return {"Update": update}


def head_check(run: str) -> dict[str, Any]:
    return check(
        key(run, "head"),
        "#status = :running AND #epoch = :epoch",
        {"#status": "status", "#epoch": "epoch"},
        {":running": {"S": "running"}, ":epoch": {"N": "1"}},
    )


def check(
    place: dict[str, Any], condition: str, names: dict[str, str], values: dict[str, Any] | None = None
) -> dict[str, Any]:
    made = {"TableName": TABLE, "Key": place, "ConditionExpression": condition, "ExpressionAttributeNames": names}
    return {"ConditionCheck": {**made, **({"ExpressionAttributeValues": values} if values else {}), **KEPT}}


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
