"""moto's interpreter of state machines as a second opinion: JSONata by jsonata-python instead of a JVM, the function of
these tests in this process, waits and retry delays in no time. All of it is undone with the block."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import random
import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.strict import functions
from tests.strict.emulator import ended, until

ACCOUNT = "123456789012"  # moto's
PARSER = "moto.stepfunctions.parser.asl"


@contextlib.contextmanager
def engine() -> Iterator[Callable[[Any, Any], list[Any]]]:
    """A function that runs a definition and gives [status, error, output]."""
    import boto3
    from moto import mock_aws

    environment = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
    config: Any = {"stepfunctions": {"execute_state_machine": True}, "lambda": {"use_docker": False}}
    with contextlib.ExitStack() as stack:
        for target, new in _patches().items():
            stack.enter_context(patch(target, new))
        stack.enter_context(patch.dict("os.environ", environment))
        stack.enter_context(mock_aws(config=config))
        states = boto3.client("stepfunctions", region_name="us-east-1")
        yield lambda definition, data: run(states, definition, data)


def run(states: Any, definition: Any, data: Any) -> list[Any]:
    """Start and wait for the end."""
    text = json.dumps(definition, ensure_ascii=False).replace("000000000000", ACCOUNT)
    role = f"arn:aws:iam::{ACCOUNT}:role/r"
    machine = states.create_state_machine(name=f"m{uuid.uuid4().hex[:8]}", definition=text, roleArn=role)
    started = states.start_execution(
        stateMachineArn=machine["stateMachineArn"], input=json.dumps(data), name=f"e{uuid.uuid4().hex}"
    )
    arn = started["executionArn"]
    found = until(lambda: ended(states.describe_execution(executionArn=arn)))
    events = states.get_execution_history(executionArn=arn)["events"]
    details = [event[key] for event in events for key in event if key == "executionFailedEventDetails"]
    output = _read(found["output"]) if found["status"] == "SUCCEEDED" else None
    return [found["status"], details[-1].get("error") if details else None, output]


def _read(text: str) -> Any:
    """The output; moto gives one that is a string without its quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _patches() -> dict[str, Any]:
    from moto.stepfunctions.parser.asl.utils.encoding import to_json_str

    def declarations(bindings: dict[str, Any]) -> str:
        return "".join(f"{name}:={to_json_str(value)};" for name, value in bindings.items())

    return {
        f"{PARSER}.jsonata.jsonata._eval_jsonata": _evaluate,
        f"{PARSER}.eval.states.encode_jsonata_variable_declarations": declarations,
        f"{PARSER}.eval.variable_store.encode_jsonata_variable_declarations": declarations,
        f"{PARSER}.component.common.string.string_expression.get_intrinsic_functions_declarations": (
            lambda variable_references: ""
        ),
        f"{PARSER}.component.state.exec.state_task.lambda_eval_utils._invoke_lambda_function": _invoke,
        f"{PARSER}.component.common.retry.retrier_decl.time": SimpleNamespace(sleep=lambda seconds: None),
        f"{PARSER}.component.state.wait.wait_function.wait_function.WaitFunction._wait_interval": (
            lambda self, env, wait_seconds: None
        ),
    }


def _evaluate(expression: str) -> Any:
    import jsonata
    from moto.stepfunctions.parser.asl.jsonata.jsonata import JSONataException

    try:
        parsed = jsonata.Jsonata(expression)
        for name, function in _FUNCTIONS.items():
            parsed.register_lambda(name, function)
        return parsed.evaluate(None)
    except Exception as fault:
        raise JSONataException(str(getattr(fault, "error", None) or "UNKNOWN"), str(fault)) from None


def _hash(text: str, algorithm: str) -> str:
    return hashlib.new(algorithm.replace("-", "").lower(), text.encode()).hexdigest()


def _range(first: float, last: float, step: float) -> list[int]:
    first, last, step = math.floor(first), math.floor(last), math.floor(step)
    return list(range(first, last + (1 if step > 0 else -1), step))


# What Step Functions adds to JSONata.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "uuid": lambda: str(uuid.uuid4()),
    "parse": lambda text: json.loads(text),
    "hash": _hash,
    "random": lambda seed=None: random.Random(seed).random(),
    "range": _range,
    "partition": lambda items, size: [items[at : at + int(size)] for at in range(0, len(items), int(size))],
}


def _invoke(parameters: Any, region: Any, state_credentials: Any) -> Any:
    event = json.loads(parameters.get("Payload") or b"{}")
    reply = {"ExecutedVersion": "$LATEST", "StatusCode": 200, "SdkHttpMetadata": {}, "SdkResponseMetadata": {}}
    try:
        return {**reply, "Payload": json.loads(json.dumps(functions.handler(event, None)))}
    except Exception as fault:
        error = {"errorMessage": str(fault), "errorType": type(fault).__name__, "stackTrace": []}
        return {**reply, "FunctionError": "Unhandled", "Payload": error}
