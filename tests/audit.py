"""`make check`: checkov, cfn-lint's serverless rules, detect-secrets. Exit code 0 when none finds anything.

Run with the interpreter of the environment that `requirements/audit.txt` makes. What is skipped stands here, with the
reason; a check that nothing would fail any more is a fault too, so that the lists stay true.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
TEMPLATE = "template.yaml"

CHECKOV = {
    "CKV_AWS_18": "who reads the bucket is in CloudTrail's data events, which are the account's to switch on",
    "CKV_AWS_21": "an object is written once, under a key of its own",
    "CKV_AWS_27": "the queue is encrypted, with the key that SQS manages",
    "CKV_AWS_115": "parameters ApiConcurrency and ModelConcurrency; reserving for every function starves the account",
    "CKV_AWS_116": "functions that are invoked asynchronously have one; the engine tells of the others' failures",
    "CKV_AWS_117": "functions call AWS services only, and would need endpoints for all of them",
    "CKV_AWS_119": "tables are encrypted, with AWS's key",
    "CKV_AWS_120": "answers differ from key to key and from second to second",
    "CKV_AWS_158": "log lines hold no data of runs; log groups are encrypted, with AWS's key",
    "CKV_AWS_173": "the environment holds names and limits, no secret",
}
SERVERLESS = {
    "WS1004": "log groups are named in LoggingConfig, which the rule does not know; tests/template sees to retention",
    "ES1007": "close_run has a dead-letter queue, sweep comes again in a minute",
    "ES4000": "what an event lost is found by the sweeper, and the sweeper comes again in a minute",
    "ES6000": "the queue is the dead-letter queue",
}
# detect-secrets: detectors that are off, files and lines that are passed over
NO_DETECTORS = {"KeywordDetector": "takes every assignment to a name with `key` or `token` for a secret"}
LINES = {
    r"d1ec2f161816f04df1944022af0cdc08": "the id of the run in docs/api.md",
    r"0123456789abcdefghjkmnpqrstvwxyz": "the digits of ids",
    r"AmazonAPIGatewayPushToCloudWatchLogs": "the name of a policy of AWS",
}


def main() -> int:
    """Run all three, whatever one of them finds."""
    found = [*_checkov(), *_serverless(), *_secrets()]
    print("\n".join(found) or "checkov, cfn-lint-serverless, detect-secrets: nothing found")
    return 1 if found else 0


def _run(tool: str, *arguments: str) -> str:
    done = subprocess.run([BIN / tool, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600)
    return done.stdout or done.stderr


def _judged(tool: str, found: Iterable[tuple[str, str]], skipped: Mapping[str, str]) -> list[str]:
    """What is not skipped, and what is skipped in vain. `found`: check and place."""
    seen = list(found)
    left = [f"{tool}: {check} {place}" for check, place in seen if check not in skipped]
    vain = [f"{tool}: {check} is skipped, and nothing fails it" for check in skipped if check not in dict(seen)]
    return left + vain


def _checkov() -> list[str]:
    said = _run("checkov", "-f", TEMPLATE, "--framework", "cloudformation", "--skip-download", "-o", "json", "--quiet")
    failed: list[dict[str, Any]] = json.loads(said)["results"]["failed_checks"]
    return _judged(
        "checkov", ((each["check_id"], f"{each['resource']}: {each['check_name']}") for each in failed), CHECKOV
    )


def _serverless() -> list[str]:
    rules = ["--append-rules", "cfn_lint_serverless.rules", "--format", "json", "--template", TEMPLATE]
    failed: list[dict[str, Any]] = json.loads(_run("cfn-lint", *rules))
    placed = (
        (each["Rule"]["Id"], f"line {each['Location']['Start']['LineNumber']}: {each['Message']}") for each in failed
    )
    return _judged("cfn-lint", placed, SERVERLESS)


def _secrets() -> list[str]:
    """Over the files that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    off = [argument for detector in NO_DETECTORS for argument in ("--disable-plugin", detector)]
    lines = [argument for pattern in LINES for argument in ("--exclude-lines", pattern)]
    said: dict[str, Any] = json.loads(_run("detect-secrets-hook", "--json", *off, *lines, *names) or "{}")
    return [
        f"detect-secrets: {each['filename']}:{each['line_number']}: {each['type']}"
        for found in said.get("results", {}).values()
        for each in found
    ]


if __name__ == "__main__":
    sys.exit(main())
