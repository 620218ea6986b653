"""The emulator's side of the run: functions sent through the proxy, a listener on the bus, records as they are."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from boto3.session import Session
from botocore.config import Config

from loopstep.cli.local.cloud import State
from loopstep.cli.local.emulator import CREDENTIALS, REGION
from loopstep.cli.local.stack import STACK
from loopstep.runs.items import Item

ALIAS = "live"
LISTENER = "chaos-listener"
QUIET_LOOKS = 3  # empty looks in a row after which no event is on its way


@dataclass(frozen=True, slots=True)
class Stack:
    """The deployed stack behind the proxy: every client here goes to the emulator itself."""

    state: State

    def client(self, service: str) -> Any:
        """A client that no rule meets."""
        session = Session(CREDENTIALS["AWS_ACCESS_KEY_ID"], CREDENTIALS["AWS_SECRET_ACCESS_KEY"], region_name=REGION)
        make: Any = session.client
        return make(service, endpoint_url=self.state["endpoint"], config=Config(proxies={}))

    def send_functions_through(self, url: str, only: Collection[str] = ()) -> list[str]:
        """Every function, or the named ones, calls AWS by way of this HTTP proxy from now on; the functions' names.

        Their endpoint stays the emulator's, for which they sign: it enforces their roles, as without the proxy.
        """
        functions = self.client("lambda")
        names = [
            each["FunctionName"]
            for page in functions.get_paginator("list_functions").paginate()
            for each in page["Functions"]
            if each["FunctionName"].startswith(f"{STACK}-")
            and (not only or each["FunctionName"].removeprefix(f"{STACK}-") in only)
        ]
        for name in names:
            variables = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
            there = {"Variables": {**variables, "HTTP_PROXY": url, "NO_PROXY": ""}}
            functions.update_function_configuration(FunctionName=name, Environment=there)
            version = functions.publish_version(FunctionName=name)["Version"]
            functions.update_alias(FunctionName=name, Name=ALIAS, FunctionVersion=version)
        return names

    def sweep(self) -> bool:
        """Invoke the sweeper as its schedule does; whether all its sweeps succeeded."""
        answer = self.client("lambda").invoke(FunctionName=f"{STACK}-sweep", Qualifier=ALIAS, Payload=b"{}")
        return "FunctionError" not in answer

    # -- what was published ----------------------------------------------------------------------------------------

    def listen(self) -> str:
        """Queue what is published on the bus from now on; the queue's URL."""
        queues, bus = self.client("sqs"), self.client("events")
        url = str(queues.create_queue(QueueName=LISTENER)["QueueUrl"])
        arn = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        place = {"EventBusName": self.state["outputs"]["EventBus"]}
        bus.put_rule(Name=LISTENER, EventPattern=json.dumps({"source": ["loopstep"]}), **place)
        bus.put_targets(Rule=LISTENER, Targets=[{"Id": "1", "Arn": arn}], **place)
        return url

    def heard(self, queue: str) -> list[dict[str, Any]]:
        """The details of the messages published since `listen`, each as often as it came."""
        queues, found, quiet = self.client("sqs"), list[dict[str, Any]](), 0
        while quiet < QUIET_LOOKS:
            got = queues.receive_message(QueueUrl=queue, MaxNumberOfMessages=10).get("Messages", [])
            quiet = 0 if got else quiet + 1
            for each in got:
                event = json.loads(each["Body"])
                if event["detail-type"] == "loopstep.message":
                    found.append(event["detail"])
                queues.delete_message(QueueUrl=queue, ReceiptHandle=each["ReceiptHandle"])
            if not got:
                time.sleep(0.1)
        return found

    # -- what is recorded ------------------------------------------------------------------------------------------

    def items(self, run: str) -> Iterator[Item]:
        """All items of a run."""
        request: dict[str, Any] = {
            "TableName": self.state["outputs"]["RunsTable"],
            "KeyConditionExpression": "#run = :run",
            "ExpressionAttributeNames": {"#run": "run"},
            "ExpressionAttributeValues": {":run": {"S": run}},
            "ConsistentRead": True,
        }
        for page in self.client("dynamodb").get_paginator("query").paginate(**request):
            yield from page["Items"]

    def text(self, key: str) -> str:
        """An object of the values bucket."""
        reply = self.client("s3").get_object(Bucket=self.state["outputs"]["ValuesBucket"], Key=key)
        body: bytes = reply["Body"].read()
        return body.decode()

    def executions(self) -> list[tuple[str, str]]:
        """Name and status of every execution of every machine."""
        engine = self.client("stepfunctions")
        machines = [
            each["stateMachineArn"]
            for page in engine.get_paginator("list_state_machines").paginate()
            for each in page["stateMachines"]
        ]
        return [
            (each["name"], each["status"])
            for machine in machines
            for page in engine.get_paginator("list_executions").paginate(stateMachineArn=machine)
            for each in page["executions"]
        ]
