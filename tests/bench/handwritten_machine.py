"""The hand-written machine that chains are compared with: its table, function and state machines, made and removed."""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loopstep.runs.schema import table_definition
from tests.bench.cloud import Cloud
from tests.bench.processes import ROOT

HANDLER = ROOT / "tests" / "bench" / "handwritten" / "handler.py"
PRINCIPALS = ["lambda.amazonaws.com", "states.amazonaws.com"]
ACTIONS = ["dynamodb:*", "lambda:InvokeFunction"]
RETRY = [
    {
        "ErrorEquals": ["Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.TooManyRequestsException"],
        "IntervalSeconds": 1,
        "MaxAttempts": 5,
        "BackoffRate": 2.0,
    }
]
READY_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Handwritten:
    """What stands in the emulator: a table, and a machine's ARN by its number of nodes."""

    cloud: Cloud
    table: str
    machines: dict[int, str]

    def start(self, nodes: int) -> str:
        """Put a run's head and state and start the machine; the execution's ARN."""
        run = secrets.token_hex(13)
        put = self.cloud.client("dynamodb").put_item
        key = {"run": {"S": run}}
        head = {"status": {"S": "running"}, "epoch": {"N": "1"}, "plan": {"S": "chain"}, "input": {"S": '{"amount":1}'}}
        put(TableName=self.table, Item={**key, "sk": {"S": "head"}, **head})
        put(TableName=self.table, Item={**key, "sk": {"S": "state"}, "rev": {"N": "0"}, "f_total": {"S": "0"}})
        token = {"run": run, "epoch": 1, "path": "", "node": "", "from": "", "port": "", "edge": ""}
        engine = self.cloud.client("stepfunctions")
        started = engine.start_execution(stateMachineArn=self.machines[nodes], name=f"{run}-1", input=json.dumps(token))
        return str(started["executionArn"])


@contextlib.contextmanager
def deployed(cloud: Cloud, sizes: Sequence[int]) -> Iterator[Handwritten]:
    """Table, function and a machine of each size, for the time of the block."""
    name = f"bench-handwritten-{secrets.token_hex(4)}"
    tables, functions, engine = (cloud.client(service) for service in ("dynamodb", "lambda", "stepfunctions"))
    machines: dict[int, str] = {}
    with contextlib.ExitStack() as undo:
        tables.create_table(**table_definition(name))
        undo.callback(tables.delete_table, TableName=name)
        role = _create_role(cloud, name, undo)
        function = _create_function(functions, name, role)
        undo.callback(functions.delete_function, FunctionName=name)
        for size in sizes:
            text = json.dumps(definition(function, size))
            machine = engine.create_state_machine(name=f"{name}-{size}", definition=text, roleArn=role)
            machines[size] = machine["stateMachineArn"]
            undo.callback(engine.delete_state_machine, stateMachineArn=machines[size])
        yield Handwritten(cloud, name, machines)


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


def _create_function(functions: Any, name: str, role: str) -> str:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("handler.py", HANDLER.read_text(encoding="utf-8"))
    made = functions.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=role,
        Handler="handler.handler",
        Code={"ZipFile": buffer.getvalue()},
        Environment={"Variables": {"TABLE": name}},
        MemorySize=512,
        Timeout=30,
    )
    deadline = time.monotonic() + READY_SECONDS
    while functions.get_function(FunctionName=name)["Configuration"].get("State", "Active") != "Active":
        if time.monotonic() > deadline:
            raise RuntimeError(f"function {name} does not become active")
        time.sleep(0.1)
    return str(made["FunctionArn"])


def definition(function: str, nodes: int) -> dict[str, Any]:
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
