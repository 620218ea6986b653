"""The group: every command is there, nothing is imported before it is needed, endings have their exit codes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import click
import pytest

from loopstep.cli import main, outcome


@pytest.mark.parametrize("name", sorted(main.COMMANDS))
def test_every_command_can_be_loaded_and_has_help(cli: Any, name: str) -> None:
    done = cli(name, "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Usage: loopstep {name} ")


def test_help_lists_every_command(cli: Any) -> None:
    done = cli("--help")
    assert all(f"\n  {name} " in done.stdout for name in main.COMMANDS)


def test_version(cli: Any) -> None:
    assert cli("--version").stdout == "0.1.0\n"


@pytest.mark.parametrize("arguments", [["no_such_command"], ["show"], ["runs", "--status", "happy"], ["--nope"]])
def test_wrong_usage_is_2(cli: Any, arguments: list[str]) -> None:
    done = cli(*arguments)
    assert done.exit_code == outcome.USAGE
    assert done.stdout == ""
    assert "Error" in done.stderr


def test_importing_the_group_imports_no_command() -> None:
    code = "import sys, loopstep.cli.main; print([m for m in sys.modules if m.startswith('loopstep')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['loopstep', 'loopstep.cli', 'loopstep.cli.outcome', 'loopstep.cli.main']"


HEAVY = {"boto3", "botocore", "pydantic", "rich", "aws_lambda_powertools", "urllib.request", "asyncio", "httpx"}


@pytest.mark.parametrize("name", ["check", "compile", "explain", "eval", "convert"])
def test_commands_that_work_offline_load_nothing_heavy(name: str) -> None:
    module = main.COMMANDS[name][0]
    code = f"import sys, loopstep.cli.main, loopstep.cli.{module}; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(
    ("raised", "code"),
    [(KeyboardInterrupt(), 130), (click.Abort(), 130), (outcome.Failure("no", outcome.CONFLICT), 6)],
)
def test_endings(cli: Any, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int) -> None:
    def command() -> None:
        raise raised

    module = importlib.import_module("loopstep.cli.cloud")
    monkeypatch.setattr(module, "status_command", click.command("status")(command))
    assert cli("status").exit_code == code


def test_a_reader_that_goes_away_is_no_fault() -> None:
    code = "import sys; from loopstep.cli.main import run; sys.exit(run(['--help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.close()
    process.wait()
    assert process.stderr.read() == b""
    process.stderr.close()
