"""`loopstep completion`: the scripts of click, and what they are told, whether a service answers, is slow or away."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import completion, main

LOOPSTEP = [sys.executable, "-c", "from loopstep.cli.main import main; main()"]


def told(*words: str, **environment: str) -> list[str]:
    """What a shell is told for the last word."""
    done = subprocess.run(
        LOOPSTEP,
        env={
            **os.environ,
            "_LOOPSTEP_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(("loopstep", *words)),
            "COMP_CWORD": str(len(words)),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_script_names_the_command(cli: Any, shell: str) -> None:
    done = cli("completion", shell)
    assert done.exit_code == 0
    assert "_LOOPSTEP_COMPLETE" in done.stdout and "loopstep" in done.stdout
    if shutil.which(shell) and shell != "zsh":
        check = subprocess.run([shell, "-n"], input=done.stdout, capture_output=True, text=True, timeout=60)
        assert (check.returncode, check.stderr) == (0, "")


def test_another_shell_is_refused(cli: Any) -> None:
    assert cli("completion", "cmd.exe").exit_code == 2


def test_commands_and_options() -> None:
    assert told("re") == [f"plain,{name}" for name in main.COMMANDS if name.startswith("re")]
    assert "plain,--github" in told("check", "--g")
    assert "plain,put" in told("schedules", "p")


def test_codes_and_files() -> None:
    assert told("explain", "binding.req") == ["plain,binding.required_target"]
    assert told("explain", "plans/") == ["file,plans/"]
    assert told("check", "pl") == ["file,pl"]


def test_what_a_service_has(service: Any) -> None:
    service.on("GET /plans", (200, {"items": [{"name": "order", "version": 3}, {"name": "refund", "version": 1}]}))
    service.on("GET /runs", (200, {"items": [{"runId": "r-1", "plan": "order", "status": "failed"}]}))
    service.on("GET /approvals", (200, {"items": [{"id": "r-1.aa", "summary": "Take it?\nNow"}]}))
    service.on("GET /callbacks", (200, {"items": [{"id": "r-1.bb", "text": "Score"}]}))
    environment = {"LOOPSTEP_URL": service.url, "LOOPSTEP_API_KEY": "k"}
    assert told("run", "or", **environment) == ["plain,order", "file,or"]
    assert told("diff", "or", **environment) == ["plain,order@latest", "file,or"]
    assert told("show", "r", **environment) == ["plain,r-1"]
    assert told("runs", "--plan", "ref", **environment) == ["plain,refund", "file,ref"]
    assert told("approve", "", **environment) == ["plain,r-1.aa", "plain,r-1.bb"]
    assert told("files", "list", "r", **environment) == ["plain,r-1"]


def test_no_service_no_word(tmp_path: Path) -> None:
    assert told("show", "x", LOOPSTEP_URL="http://127.0.0.1:9") == []
    assert told("show", "x", LOOPSTEP_URL="no address") == []
    assert told("run", "x", LOOPSTEP_URL="http://127.0.0.1:9") == ["file,x"]


def test_a_slow_service_is_not_waited_for(service: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*arguments: Any, **more: Any) -> Any:
        time.sleep(30)

    monkeypatch.setattr(completion, "SECONDS", 0.05)
    monkeypatch.setattr(completion.remote, "connect", late)
    assert list(completion._runs("")) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(cli: Any, tmp_path: Path) -> None:
    """The script, sourced by bash, with a `loopstep` on its way."""
    program = tmp_path / "loopstep"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from loopstep.cli.main import main; main()" "$@"\n')
    program.chmod(0o755)
    script = cli("completion", "bash").stdout
    lines = f"{script}\nCOMP_WORDS=(loopstep comp)\nCOMP_CWORD=1\n_loopstep_completion loopstep comp\n"
    done = subprocess.run(
        ["bash", "-c", lines + 'echo "${COMPREPLY[@]}"'],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["compile", "completion"], done.stderr
