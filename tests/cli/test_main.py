"""The group: every command is there, nothing is imported before it is needed, endings have their exit codes."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
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


# a dataclass takes 0.7 ms to come to be, a NamedTuple 0.15 (and there are sixty records); OpenSSL takes 3 ms to load
SLOW = {"dataclasses", "hashlib"}


def test_what_compiles_loads_quickly() -> None:
    code = "import sys, loopstep.compiler.compile, loopstep.compiler.emit; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert SLOW.isdisjoint(done.stdout.split())


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


FOREIGN = "\udcff"  # a byte that is no UTF-8, as Python has it in sys.argv


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", FOREIGN],
        ["publish", "-", "--name", FOREIGN],
        ["messages", "--scope", FOREIGN],
        ["check", FOREIGN],
        ["run", "p", "--input", FOREIGN],
        ["approve", "x", "--comment", FOREIGN],
        [FOREIGN],
        [f"--{FOREIGN}"],
    ],
)
def test_an_argument_that_is_not_utf_8_is_2(cli: Any, service: Any, arguments: list[str]) -> None:
    done = cli(*arguments)
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
    assert done.stderr == f"Error: an argument is not UTF-8: {'--' * (arguments[0][0] == '-')}\\udcff\n"
    assert not service.requests


def test_what_nobody_foresaw_is_one_line(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def command() -> None:
        raise KeyError("a\x1b\nb")

    module = importlib.import_module("loopstep.cli.cloud")
    monkeypatch.setattr(module, "status_command", click.command("status")(command))
    monkeypatch.delenv(main.DEBUG, raising=False)
    done = cli("status")
    assert (done.exit_code, done.stdout) == (outcome.BROKEN, "")
    assert done.stderr.splitlines()[1:] == ["  LOOPSTEP_DEBUG=1 shows where."]
    assert "Traceback" not in done.stderr and "\x1b" not in done.stderr
    monkeypatch.setenv(main.DEBUG, "1")
    done = cli("status")
    assert done.exit_code == outcome.BROKEN
    assert "Traceback" in done.stderr


def test_a_full_disk_is_no_traceback() -> None:
    code = "from loopstep.cli.main import main; main()"
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", code, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == outcome.BROKEN
    assert done.stderr.startswith("Error: ") and "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_half_a_surrogate_pair_is_printed_as_its_escape() -> None:
    code = "import click, loopstep.cli.main as m; m.run = lambda: click.echo(chr(0xd800)) or 0; m.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.stdout == b"\\ud800\n"


def test_the_exit_codes_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    codes = [value for name, value in vars(outcome).items() if name.isupper() and isinstance(value, int)]
    assert codes and all(f"\n| {code} | " in text for code in codes)


GROUPS = {"callback", "files", "keys", *main.TRIGGERS, *main.REGISTRY}


@pytest.mark.parametrize("name", sorted({*main.COMMANDS} - {"demo", "eval", "convert", "completion"} - GROUPS))
def test_every_command_has_json_but_those_that_the_docs_name(cli: Any, name: str) -> None:
    assert "--json" in cli(name, "--help").stdout


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_every_command_of_a_group_has_json(cli: Any, group: str) -> None:
    def leaves(command: click.Command, *path: str) -> list[tuple[str, ...]]:
        if not isinstance(command, click.Group):
            return [path]
        context = click.Context(command)
        names = command.list_commands(context)
        inner = [(command.get_command(context, name), name) for name in names]
        return [leaf for each, name in inner if each is not None for leaf in leaves(each, *path, name)]

    found = main.loopstep.get_command(click.Context(main.loopstep), group)
    assert found is not None
    without = [path for path in leaves(found, group) if "--json" not in cli(*path, "--help").stdout]
    assert without == ([("files", "get")] if group == "files" else [])  # that one writes the file itself


def test_a_reader_that_goes_away_is_no_fault() -> None:
    code = "import sys; from loopstep.cli.main import run; sys.exit(run(['--help']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.close()
    process.wait()
    assert process.stderr.read() == b""
    process.stderr.close()
