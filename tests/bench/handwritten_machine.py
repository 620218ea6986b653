"""Hand-written machines to compare with: their table, bucket, function and state machines, made and removed."""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopstep.runs.schema import table_definition
from tests.bench.cloud import Cloud
from tests.bench.processes import ROOT

HERE = ROOT / "tests" / "bench" / "handwritten"
HANDLER = HERE / "handler.py"
PRINCIPALS = ["lambda.amazonaws.com", "states.amazonaws.com"]
ACTIONS = ["dynamodb:*", "lambda:InvokeFunction", "s3:*", "states:*"]
FENCES = 16
RETRY = [
    {
        "ErrorEquals": ["Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.TooManyRequestsException"],
        "IntervalSeconds": 1,
        "MaxAttempts": 5,
        "BackoffRate": 2.0,
    }
]
READY_SECONDS = 10.0


Definition = Callable[[str, str], dict[str, Any]]  # from the function's ARN and the bucket's name
Key = str | int


@dataclass(frozen=True, slots=True)
class Handwritten:
    """What stands in the emulator: a table, and a machine's ARN by the key that it was asked for under."""

    cloud: Cloud
    table: str
    machines: Mapping[Key, str]

    def start(self, key: Key, given: Mapping[str, Any] | None = None) -> str:
        """Put a run's head (with its input), state and fences and start the machine; the execution's ARN."""
        run = secrets.token_hex(13)
        text = json.dumps(given or {"amount": 1})
        head = {"status": {"S": "running"}, "epoch": {"N": "1"}, "plan": {"S": "chain"}, "input": {"S": text}}
        items = {"head": head, "state": {"rev": {"N": "0"}, "f_total": {"S": "0"}}}
        items |= {f"fence#{n:02d}": {"fence": {"S": "running"}, "epoch": {"N": "1"}} for n in range(FENCES)}
        puts = [{"PutRequest": {"Item": {"run": {"S": run}, "sk": {"S": sk}, **item}}} for sk, item in items.items()]
        self.cloud.client("dynamodb").batch_write_item(RequestItems={self.table: puts})
        token = {"run": run, "epoch": 1, "path": "", "node": "", "from": "", "port": "", "edge": ""}
        engine = self.cloud.client("stepfunctions")
        started = engine.start_execution(stateMachineArn=self.machines[key], name=f"{run}-1", input=json.dumps(token))
        return str(started["executionArn"])


@contextlib.contextmanager
def deployed(cloud: Cloud, handler: Path, definitions: Mapping[Any, Definition]) -> Iterator[Handwritten]:
    """Table, bucket, a function of this handler, and a machine of each definition, for the time of the block."""
    name = f"bench-handwritten-{secrets.token_hex(4)}"
    tables, functions, engine = (cloud.client(service) for service in ("dynamodb", "lambda", "stepfunctions"))
    machines: dict[Key, str] = {}
    with contextlib.ExitStack() as undo:
        tables.create_table(**table_definition(name))
        undo.callback(tables.delete_table, TableName=name)
        _create_bucket(cloud, name, undo)
        role = _create_role(cloud, name, undo)
        function = _create_function(functions, name, handler, role)
        undo.callback(functions.delete_function, FunctionName=name)
        for number, (key, definition) in enumerate(definitions.items()):
            text = json.dumps(definition(function, name))
            machine = engine.create_state_machine(name=f"{name}-{number}", definition=text, roleArn=role)
            machines[key] = machine["stateMachineArn"]
            undo.callback(engine.delete_state_machine, stateMachineArn=machines[key])
        yield Handwritten(cloud, name, machines)


def _create_bucket(cloud: Cloud, name: str, undo: contextlib.ExitStack) -> None:
    """A bucket of its own, emptied and deleted in the end."""
    store = cloud.client("s3")
    store.create_bucket(Bucket=name)

    def remove() -> None:
        for page in store.get_paginator("list_objects_v2").paginate(Bucket=name):
            for each in page.get("Contents", []):
                store.delete_object(Bucket=name, Key=each["Key"])
        store.delete_bucket(Bucket=name)

    undo.callback(remove)


def _create_role(cloud: Cloud, name: str, undo: contextlib.ExitStack) -> str:
    """One role for function and machines: the local cloud enforces what functions may do."""
    roles = cloud.client("iam")
    trusted = {"Effect": "Allow", "Principal": {"Service": PRINCIPALS}, "Action": "sts:AssumeRole"}
    allowed = {"Effect": "Allow", "Action": ACTIONS, "Resource": "*"}
    made = roles.create_role(RoleName=name, AssumeRolePolicyDocument=_policy(trusted))
    undo.callback(roles.delete_role, RoleName=name)
    roles.put_role_policy(RoleName=name, PolicyName=name, PolicyDocument=_policy(allowed))
    undo.callback(roles.delete_role_policy, RoleName=name, PolicyName=name)
    return str(made["Role"]["Arn"])


def _policy(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _create_function(functions: Any, name: str, handler: Path, role: str) -> str:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("handler.py", handler.read_text(encoding="utf-8"))
    made = functions.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=role,
        Handler="handler.handler",
        Code={"ZipFile": buffer.getvalue()},
        Environment={"Variables": {"TABLE": name, "BUCKET": name}},
        MemorySize=512,
        Timeout=30,
    )
    deadline = time.monotonic() + READY_SECONDS
    while functions.get_function(FunctionName=name)["Configuration"].get("State", "Active") != "Active":
        if time.monotonic() > deadline:
            raise RuntimeError(f"function {name} does not become active")
        time.sleep(0.1)
    return str(made["FunctionArn"])


def chain(function: str, nodes: int) -> dict[str, Any]:
    """A chain of Tasks over one function, one a node and one for the end, as a compiled chain has them."""
    names = [*(f"step_{n}" for n in range(1, nodes + 1)), "done"]
    states = {
        name: {
            "Type": "Task",
            "QueryLanguage": "JSONata",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Arguments": {
                "FunctionName": function,
                "Payload": {"token": "{% $states.input %}", "node": name, "edge": f"e{n}", "add": n},
            },
            "Output": "{% $states.result.Payload %}",
            "Retry": RETRY,
            **({"Next": names[n]} if n < len(names) else {"End": True}),
        }
        for n, name in enumerate(names, start=1)
    }
    return {"StartAt": names[0], "States": states}
