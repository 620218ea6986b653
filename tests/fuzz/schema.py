"""schemathesis against a deployed API: `python -m tests.fuzz.schema [--examples N] [--seed N]`, `make fuzz`.

It asks every route, with what fits and what does not, and looks whether the answer is one that the API's own
description has: no 5xx, a documented status and media type, a body of the described shape. Nobody looks at times. The
exit code is 0 where nothing was found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from loopstep.api.openapi import FILE
from loopstep.cli.local import cloud
from loopstep.cli.local.project import INSTANCE, Project
from tests.house.modules import ROOT

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
RATE = "40/s"  # a stack lets 50 requests a second in


def described() -> dict[str, Any]:
    """The API's description, with how the emulator's gateway words its own refusals."""
    document: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    own = {"schema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}}
    for path in document["paths"].values():
        for operation in path.values():
            for status in ("403", "429"):
                operation["responses"][status]["content"]["application/json"] = own
    return document


def ask(
    url: str, key: str, phases: str, examples: int, seed: int = 1, rate: str = RATE
) -> subprocess.CompletedProcess[str]:
    """One run of schemathesis."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "openapi.json").write_text(json.dumps(described()), encoding="utf-8")
        command = [str(Path(sys.executable).with_name("schemathesis")), "run", "openapi.json", "--url", url]
        command += ["--header", f"x-api-key: {key}", "--checks", CHECKS, "--phases", phases, "--seed", str(seed)]
        command += ["--max-examples", str(examples), "--rate-limit", rate, "--no-color", "--continue-on-failure"]
        command += ["--suppress-health-check", "all", "--warnings", "off"]
        return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=6 * 3600)


def main() -> int:
    """Against the local cloud that runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phases", default="coverage,fuzzing,stateful")
    chosen = parser.parse_args()
    state = cloud.read(Project(ROOT, os.environ.get(INSTANCE, "")))
    if state is None:
        print("no local cloud; `loopstep up` starts one")
        return 2
    done = ask(state["url"], state["apiKey"], chosen.phases, chosen.examples, chosen.seed)
    print(done.stdout, done.stderr, sep="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
