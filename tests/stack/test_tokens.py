"""A stack that knows its callers by token, and then one that wants signatures: the same template, deployed beside.

An issuer on loopback publishes the keys; the gateway asks the authorizer's function, which fetches them.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from loopstep.cli.local import cloud, emulator, stack
from loopstep.cli.local.project import INSTANCE, Project
from tests.gateways.test_tokens import AUDIENCE, OTHER, Issuer, published
from tests.gateways.test_tokens import issuer as _issuer
from tests.house.modules import ROOT

STACK = "loopstep-tokens"

issuer = _issuer


@pytest.fixture
def deploy(state: Any) -> Iterator[Callable[..., str]]:
    """Deploys the stack with these parameters, and says where its API is; takes it down in the end."""
    if not state["endpoint"]:
        pytest.skip("nothing is deployed beside another deployment")
    project = Project(ROOT, os.environ.get(INSTANCE, ""))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        **emulator.CREDENTIALS,
        "AWS_ENDPOINT_URL": state["endpoint"],
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": emulator.HOST,
        "no_proxy": emulator.HOST,
        "SAM_CLI_POLL_DELAY": "0.5",
        "SAM_CLI_TELEMETRY": "0",
        "__SAM_CLI_APP_DIR": str(project.home / "sam-cli"),
    }

    def sam(*arguments: str) -> str:
        command = [str(project.environment("sam") / "bin" / "sam"), *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    def deployed(**parameters: str) -> str:
        said = {
            "LogRetentionDays": "1",
            "TlsOnly": "false",
            "Monitoring": "false",
            "ApiLogsRole": "false",
            **parameters,
        }
        overrides = " ".join(f"{name}={value}" for name, value in said.items())
        where = ("--config-env", "local", "--stack-name", STACK)
        with cloud._locked(cloud._shared(project)):  # other local clouds of the project share the builds
            stack.build(project)
            sam("deploy", *where, "--parameter-overrides", overrides)
        outputs = json.loads(sam("list", "stack-outputs", "--stack-name", STACK, "--output", "json"))
        found = {each["OutputKey"]: each["OutputValue"] for each in outputs}
        return f"{state['endpoint']}/_aws/execute-api/{found['ApiId']}/{found['ApiStage']}"

    yield deployed
    sam("delete", "--stack-name", STACK, "--no-prompts", "--region", emulator.REGION)


def ask(url: str, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
    for _ in range(40):
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url + path, body, headers, method=method), timeout=60
            ) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code != 429:
                return error.code, json.loads(error.read() or b"null")
        time.sleep(0.25)
    raise AssertionError("the gateway was too busy")


def test_callers_by_token_and_by_signature(deploy: Callable[..., str], issuer: Issuer, state: Any) -> None:
    url = deploy(ApiAuth="jwt", JwtIssuer=issuer.url, JwtAudience=AUDIENCE, JwtKeysUrl=f"{issuer.url}/keys")

    def by(token: str, method: str = "GET", path: str = "/me", body: bytes | None = None) -> tuple[int, Any]:
        return ask(url, method, path, body, Authorization=f"Bearer {token}")

    ada = issuer.sign(sub="ada", name="Ada", roles=["operator", "viewer"])
    assert by(ada) == (200, {"kind": "jwt", "id": "ada", "name": "Ada", "roles": ["viewer", "operator"]})
    assert by(ada, "POST", "/runs/nobody/cancel")[0] == 404
    status, said = by(ada, "PUT", "/plans/p", b"x")
    assert (status, said["code"], said["needs"]) == (403, "access.denied", ["author"])
    assert by(issuer.sign(sub="bob"))[1]["roles"] == ["viewer"]
    for bad in (
        issuer.sign(aud="other"),
        issuer.sign(iss="https://other.example"),
        issuer.sign(exp=int(time.time()) - 60),
        issuer.sign(OTHER),
        issuer.sign(OTHER, "unknown"),
        ada[:-4],
        "x",
    ):
        assert by(bad)[0] == 401
    for headers in ({}, {"x-api-key": state["apiKey"]}, {"Authorization": "Basic eA=="}):
        assert ask(url, "GET", "/me", **headers)[0] == 401
    assert issuer.asked and set(issuer.asked) == {"/keys"}
    assert published("r", OTHER)["n"] != issuer.keys[0]["n"]

    url = deploy(ApiAuth="iam", ApiAdmin="arn:aws:iam::000000000000:user/ada")
    for headers in ({}, {"x-api-key": state["apiKey"]}):
        assert ask(url, "GET", "/plans", **headers)[0] == 403
    assert by(ada)[0] == 403, "a token counts no more"
