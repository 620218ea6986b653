"""Build and deploy template.yaml to the emulator with plain SAM, and read back what the stack says about itself."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopstep.cli import outcome
from loopstep.cli.local.emulator import CREDENTIALS, HOST, REGION, endpoint
from loopstep.cli.local.project import Project
from loopstep.runs.schema import TTL_ATTRIBUTE

if TYPE_CHECKING:
    from boto3.session import Session

STACK = "loopstep-local"  # samconfig.toml, environment "local"


def build(project: Project) -> None:
    """`sam build`: the layers, for the interpreter that runs the emulator. Raises Failure."""
    _sam(project, "build", os.environ.copy())


def validate(project: Project) -> None:
    """`sam validate --lint`. Raises Failure with its findings."""
    _sam(project, "validate", {**os.environ, "AWS_DEFAULT_REGION": REGION}, "--lint")


def deploy(project: Project, port: int, model: bool = False) -> None:
    """`sam deploy` what was built, and switch on what the emulator leaves out of the template. Raises Failure.

    With `model` a server answers for models, and the emulator's stand-in counts as no answer.
    """
    own = {
        "AWS_ENDPOINT_URL": endpoint(port),
        "AWS_EC2_METADATA_DISABLED": "true",
        "SAM_CLI_POLL_DELAY": "0.5",
        **CREDENTIALS,
    }
    callers = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    overrides = f"{_parameters(project)} ModelStandIn={'refuse' if model else 'accept'}"
    _sam(project, "deploy", {**callers, **CREDENTIALS, **own, **_direct()}, "--parameter-overrides", overrides)
    _enable_ttl(port)


def _parameters(project: Project) -> str:
    """What samconfig.toml overrides for the local cloud: an option of the command replaces it whole."""
    settings = tomllib.loads((project.root / "samconfig.toml").read_text(encoding="utf-8"))
    return str(settings["local"]["deploy"]["parameters"]["parameter_overrides"])


def outputs(port: int) -> dict[str, str]:
    """The stack's outputs, by name."""
    stacks = _client(port, "cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    return {item["OutputKey"]: item["OutputValue"] for item in stacks[0]["Outputs"]}


def api_url(port: int, found: dict[str, str]) -> str:
    """Where the emulator serves the stack's API (the output ApiUrl names AWS's address)."""
    return f"{endpoint(port)}/_aws/execute-api/{found['ApiId']}/{found['ApiStage']}"


def api_key(port: int, found: dict[str, str]) -> str:
    """The value of the stack's API key."""
    answer = _client(port, "apigateway").get_api_key(apiKey=found["ApiKeyId"], includeValue=True)
    return str(answer["value"])


def _enable_ttl(port: int) -> None:
    """The emulator ignores TimeToLiveSpecification."""
    tables, name = _client(port, "dynamodb"), outputs(port)["RunsTable"]
    if tables.describe_time_to_live(TableName=name)["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED":
        tables.update_time_to_live(
            TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": TTL_ATTRIBUTE}
        )


def _sam(project: Project, verb: str, variables: dict[str, str], *more: str) -> None:
    environment = {
        **variables,
        "PATH": os.pathsep.join([str(project.environment("sam") / "bin"), variables.get("PATH", os.defpath)]),
        "SAM_CLI_TELEMETRY": "0",
        "__SAM_CLI_APP_DIR": str(project.home / "sam-cli"),
        "LOOPSTEP_INTERPRETER": str(project.python("emulator")),
    }
    log = project.logs / f"sam-{verb}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(project.environment("sam") / "bin" / "sam"), verb, "--config-env", "local", *more]
    with log.open("wb") as out:
        done = subprocess.run(
            command, cwd=project.root, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    if done.returncode:
        raise outcome.Failure(f"`sam {verb}` failed, see {log}:\n{_tail(log)}", outcome.OUT_OF_REACH)


def _direct() -> dict[str, str]:
    """No proxy on the way to loopback."""
    listed = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    value = ",".join(filter(None, [listed, HOST, "localhost"]))
    return {"NO_PROXY": value, "no_proxy": value}


def _client(port: int, service: str) -> Any:
    try:
        from boto3.session import Session
        from botocore.config import Config
    except ImportError as missing:
        raise outcome.Failure(
            "the local cloud needs boto3", outcome.USAGE, "pip install 'loopstep[local]'"
        ) from missing
    session: Session = Session(
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        region_name=REGION,
    )
    make: Any = session.client
    return make(service, endpoint_url=endpoint(port), config=Config(proxies={}, retries={"mode": "standard"}))


def _tail(log: Path, lines: int = 25) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
