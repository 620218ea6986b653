"""The launcher stops where the emulator is not the one it was written for."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from botocore.exceptions import ClientError, WaiterError

from loopstep.cli.local import strict as launcher
from tests.strict.emulator import LAUNCHER, PYTHON, ROOT, Emulator, until
from tests.strict.machines import machine, put, state


def test_the_version_is_the_pinned_one() -> None:
    pins = (ROOT / "requirements" / "emulator.txt").read_text()
    assert f"{launcher.EMULATOR}=={launcher.VERSION}" in pins


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "version", lambda name: "1.5.34")
    with pytest.raises(SystemExit, match=r"1\.5\.34 is installed"):
        launcher.check_version()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("replace(sfn, '_run_execution', lambda other: None)", "takes ['exec_arn'], its replacement takes ['other']"),
        ("replace(sfn, '_gone', lambda: None)", "_gone is not a function"),
        ("rewrite(runtime, '_PYTHON_WORKER_SCRIPT', 'not there', '')", "does not hold 'not there' exactly once"),
    ],
)
def test_a_place_that_looks_different_is_named(strict: Emulator, change: str, message: str) -> None:
    program = f"import sys; sys.path.insert(0, {str(LAUNCHER.parent)!r}); from aws_rules.emulated import *; {change}"
    done = subprocess.run([str(PYTHON), "-B", "-c", program], capture_output=True, text=True, env={})
    assert done.returncode == 1
    assert f"UnexpectedEmulator: ministack.{'core' if 'rewrite' in change else 'services'}." in done.stderr
    assert message in done.stderr


def test_nothing_of_the_launcher_is_seen_by_a_function(strict: Emulator) -> None:
    source = (
        "import sys\ndef handler(event, context):\n    print('x')\n    return [m for m in sys.path if 'local' in m]\n"
    )
    strict.function("paths", source=source)
    answer = strict.client("lambda").invoke(FunctionName="paths", Payload=b"{}")
    assert [path for path in json.loads(answer["Payload"].read()) if path.endswith("cli/local")] == []


def test_schedules_are_looked_at(strict: Emulator) -> None:
    """A schedule that is due starts its machine."""
    arn = strict.machine(machine("A", A=put(1)))
    target = {"Arn": arn, "RoleArn": "arn:aws:iam::000000000000:role/strict", "Input": "{}"}
    strict.client("scheduler").create_schedule(
        Name="soon",
        ScheduleExpression="at(2020-01-01T00:00:00)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target=target,
        ActionAfterCompletion="DELETE",
    )
    listed = strict.client("stepfunctions").list_executions
    assert len(until(lambda: listed(stateMachineArn=arn)["executions"])) == 1


@pytest.mark.parametrize(("following", "status"), [(None, "CREATE_COMPLETE"), ("B", "ROLLBACK_COMPLETE")])
def test_machines_of_templates_are_checked(strict: Emulator, following: str | None, status: str) -> None:
    definition = machine("A", A=state("Pass", following))
    properties = {"DefinitionString": json.dumps(definition), "RoleArn": "arn:aws:iam::000000000000:role/strict"}
    template: dict[str, Any] = {
        "Resources": {"M": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}}
    }
    stacks, name = strict.client("cloudformation"), f"s-{status.split('_')[0].lower()}"
    stacks.create_stack(StackName=name, TemplateBody=json.dumps(template))
    try:
        stacks.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig={"Delay": 1})
    except (WaiterError, ClientError):
        assert following is not None
    assert stacks.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == status
