"""The local cloud's parts that need no emulator: where things are, what is believed, what the emulator is told."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import outcome, remote
from loopstep.cli.local import cloud, emulator, environments, process, project, stack

STATE = {"pid": 1, "port": 1, "endpoint": "", "url": "http://x/v1", "apiKey": "k", "outputs": {}, "strict": False}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> project.Project:
    """A project with nothing in it, two folders above the current one."""
    (tmp_path / "template.yaml").write_text("")
    (tmp_path / "layers" / "loopstep").mkdir(parents=True)
    (tmp_path / "requirements").mkdir()
    for name in environments.NAMES:
        (tmp_path / "requirements" / f"{name}.txt").write_text("a==1\n")
    (tmp_path / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "down")
    monkeypatch.delenv(project.INSTANCE, raising=False)
    return project.Project(tmp_path.resolve())


def test_a_project_is_found_from_within(home: project.Project) -> None:
    assert project.find() == home
    assert home.state_file == home.root / ".local" / "state.json"


def test_another_local_cloud_has_a_home_of_its_own(home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(project.INSTANCE, "test")
    found = project.need()
    assert found.state_file == home.root / ".local" / "clouds" / "test" / "state.json"
    assert found.build == home.build


def test_outside_of_a_project(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(remote.URL, raising=False)
    for command in (["up"], ["down"], ["status"], ["runs"], ["run", "p"], ["publish", __file__]):
        done = cli(*command)
        assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
        assert "no loopstep project here or above" in done.stderr
    done = cli("status", "--json")
    assert json.loads(done.stdout) == {"running": False, "url": None, "apiKey": None, "console": None}
    assert done.exit_code == outcome.OK


def test_a_cloud_that_does_not_run(cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(remote.URL, raising=False)
    for command in (["status"], ["runs"], ["run", "p"]):
        assert cli(*command).exit_code == outcome.OUT_OF_REACH
    assert json.loads(cli("down", "--json").stdout) == {"stopped": False}


@pytest.mark.parametrize("name", ["/victim", "..", "a/b", ".", "a b", "ü", "a\n", "x" * 33])
@pytest.mark.parametrize("command", [["down", "--purge"], ["up"], ["status"], ["status", "--json"], ["runs"], ["demo"]])
def test_an_instance_is_a_name_and_no_place(
    cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch, name: str, command: list[str]
) -> None:
    monkeypatch.delenv(remote.URL, raising=False)
    monkeypatch.setenv(project.INSTANCE, name)
    done = cli(*command)
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")
    assert project.INSTANCE in done.stderr


def laid_out(cloud_: project.Project, kept: bool) -> None:
    """What a cloud that does not run any more has left."""
    for folder in (cloud_.data, cloud_.logs, cloud_.home / "sam-cli", cloud_.build, cloud_.scratch / "worker"):
        folder.mkdir(parents=True, exist_ok=True)
    (cloud_.home / "session.lock").touch()
    if kept:
        (cloud_.data / "state").touch()


def test_purge_leaves_nothing_of_one_and_everything_of_another(
    cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = project.Project(home.root, "test")
    laid_out(home, kept=True)
    laid_out(other, kept=True)
    monkeypatch.setenv(project.INSTANCE, "test")
    done = cli("down", "--purge")
    assert "the builds stay: other local clouds share them (the usual one)" in done.stderr
    assert home.build.is_dir() and (home.data / "state").exists()
    assert not home.clouds.exists()
    monkeypatch.delenv(project.INSTANCE)
    laid_out(other, kept=False)
    cli("down", "--purge")
    assert not home.build.exists() and not home.data.exists() and not home.scratch.exists()


def test_a_lock_that_is_held_is_not_removed(home: project.Project) -> None:
    lock = home.home / "session.lock"
    with cloud._locked(lock):
        cloud._forget(lock)
        assert lock.exists()
    cloud._forget(lock)
    assert not lock.exists()
    with cloud._locked(lock):
        assert lock.exists()


WORKER = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if sys.argv[1:] == ["ministack"]:
    child = subprocess.Popen([sys.executable, __file__, "worker"])
    print(child.pid, flush=True)
time.sleep(60)
"""


def test_what_does_not_end_is_killed_with_its_workers(
    home: project.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "deaf.py"
    script.write_text(WORKER)
    leader = subprocess.Popen(
        [sys.executable, str(script), "ministack"], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert leader.stdout is not None
    worker = int(leader.stdout.readline())
    (home.scratch / "worker").mkdir(parents=True)
    monkeypatch.setattr(emulator, "STOP_SECONDS", 0.2)
    assert emulator.stop(home, leader.pid)
    assert not process.alive(leader.pid)
    assert process.until(5, lambda: str(script) not in process.command_line(worker))
    assert not home.scratch.exists()
    assert process.until(10, lambda: not emulator.leftovers(home))
    leader.stdout.close()


def test_down_says_what_it_does(cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloud, "running", lambda home: STATE)
    monkeypatch.setattr(emulator, "stop", lambda *given: True)
    done = cli("down")
    assert done.stdout == "Local cloud stopped.\n"
    assert "stopping the emulator; after 15 s it is killed" in done.stderr


def test_pip_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(environments, "SAID_EVERY", 0.0)
    environments._run([sys.executable, "-c", "print('Collecting boto3')"], heard.append)
    assert heard == ["Collecting boto3"]
    with pytest.raises(outcome.Failure, match="no such package"):
        environments._run([sys.executable, "-c", "import sys; sys.exit('no such package')"])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", json.dumps({**STATE, "pid": 0}), json.dumps({**STATE, "pid": -1}), json.dumps(STATE)]
)
def test_an_old_or_broken_state_file_is_not_believed(home: project.Project, text: str) -> None:
    home.state_file.parent.mkdir()
    home.state_file.write_text(text)
    assert cloud.running(home) is None
    assert cloud.read(home) is None


def test_down_stops_no_process_that_is_not_ours(cli: Any, home: project.Project) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    home.state_file.parent.mkdir()
    home.state_file.write_text(json.dumps({**STATE, "pid": bystander.pid}))
    assert cli("down").stdout == "The local cloud was not running.\n"
    assert bystander.poll() is None
    assert not home.state_file.exists()
    bystander.communicate(b"\n")


def test_the_emulator_sees_nothing_of_the_callers_environment(
    home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "SECRET", "PYTHONPATH", "http_proxy"):
        monkeypatch.setenv(name, "leak")
    told = emulator._environment(home, 4599, emulator.Mode())
    assert "leak" not in told.values()
    assert told["BIND_HOST"] == "127.0.0.1"
    assert (told["IOT_MTLS_ENABLED"], told["SFTP_ENABLED"]) == ("0", "0")
    assert "PERSIST_STATE" not in told
    assert emulator._environment(home, 4599, emulator.Mode(persist=True))["PERSIST_STATE"] == "1"


def test_a_model_server_is_told_to_the_emulator(home: project.Project) -> None:
    told = emulator._environment(home, 4599, emulator.Mode(model="http://127.0.0.1:11434"))
    assert told["MINISTACK_BEDROCK_PROXY_URL"] == "http://127.0.0.1:11434"
    assert float(told["MINISTACK_BEDROCK_PROXY_TIMEOUT_SECONDS"]) < 900
    assert not [name for name in emulator._environment(home, 4599, emulator.Mode()) if "BEDROCK" in name]


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://localhost:1/", "http://localhost:1"),
        ("https://models.example/v1", "https://models.example"),
        ("http://h:1/team/v1/chat/completions/", "http://h:1/team"),
    ],
)
def test_the_address_of_a_model_server(
    cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch, given: str, address: str
) -> None:
    modes: list[emulator.Mode] = []

    def up(where: Any, say: Any, port: int | None, mode: emulator.Mode) -> Any:
        modes.append(mode)
        return STATE

    monkeypatch.setattr(cloud, "up", up)
    assert cli("up", "--model-url", given).exit_code == outcome.OK
    assert cli("up").exit_code == outcome.OK
    assert [mode.model for mode in modes] == [address, ""]


@pytest.mark.parametrize("given", ["127.0.0.1:1", "ftp://h", "http://", "http://h/v1?key=1", "http://h:port", "x"])
def test_what_is_no_address(cli: Any, home: project.Project, given: str) -> None:
    done = cli("up", "--model-url", given)
    assert (done.exit_code, done.stdout) == (outcome.USAGE, "")


def test_another_model_is_another_cloud() -> None:
    running: Any = {**STATE, "model": "http://a"}
    assert cloud._as_wanted(running, emulator.Mode(model="http://a"))
    assert not cloud._as_wanted(running, emulator.Mode())
    assert not cloud._as_wanted(running, emulator.Mode(model="http://a", strict=True))
    assert cloud._as_wanted(STATE, emulator.Mode())  # type: ignore[arg-type]


def test_the_deployment_keeps_what_samconfig_says(home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.root / "samconfig.toml").write_text('[local.deploy.parameters]\nparameter_overrides = "A=1 B=2"\n')
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr(stack, "_sam", lambda where, verb, variables, *more: told.append(more))
    monkeypatch.setattr(stack, "_enable_ttl", lambda port: None)
    stack.deploy(home, 1)
    stack.deploy(home, 1, model=True)
    assert told == [
        ("--parameter-overrides", "A=1 B=2 ModelStandIn=accept"),
        ("--parameter-overrides", "A=1 B=2 ModelStandIn=refuse"),
    ]


def test_the_strict_launcher_runs_by_the_emulators_own_interpreter(home: project.Project) -> None:
    interpreter, script, name = emulator._command(home, strict=True)
    assert interpreter == str(home.python("emulator"))
    assert Path(script).is_file()
    assert name == Path(emulator._command(home, strict=False)[0]).name


def test_a_port_in_use_is_said_or_gone_around(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(outcome.Failure) as refused:
            emulator.free_port(port)
        assert refused.value.exit_code == outcome.CONFLICT
        monkeypatch.setattr(emulator, "PORT", port)
        assert emulator.free_port() != port


def test_a_failing_emulator_leaves_nothing_and_shows_its_log(home: project.Project) -> None:
    script = home.environment("emulator") / "bin" / "ministack"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho the reason\nexit 3\n")
    script.chmod(0o755)
    with pytest.raises(outcome.Failure, match="the reason") as failed:
        emulator.start(home, emulator.free_port(0), emulator.Mode(), "n")
    assert failed.value.exit_code == outcome.OUT_OF_REACH
    assert not home.scratch.exists()


def test_a_failed_deployment_stops_the_emulator(home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []

    def deploy(*given: Any) -> None:
        raise outcome.Failure("no", outcome.OUT_OF_REACH)

    monkeypatch.setattr(environments, "ensure", lambda home, say: [])
    monkeypatch.setattr(cloud.stack, "build", lambda home: None)
    monkeypatch.setattr(cloud.stack, "deploy", deploy)
    monkeypatch.setattr(emulator, "start", lambda home, port, mode, name, started: started(12345))
    monkeypatch.setattr(emulator, "stop", lambda home, pid, *given: stopped.append(pid) or True)
    with pytest.raises(outcome.Failure):
        cloud.up(home, lambda line: None)
    assert stopped == [12345]
    assert not home.state_file.exists()


def test_a_terminated_session_ends_as_an_interrupted_one(
    home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    downs = []
    monkeypatch.setattr(cloud, "up", lambda home, say, mode: STATE)
    monkeypatch.setattr(cloud, "down", lambda home: downs.append(home))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), cloud.session(home, lambda line: None):
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    assert len(downs) == 2  # what an earlier one left, and its own
    assert signal.getsignal(signal.SIGTERM) == before


def test_an_environment_is_made_anew_when_its_pins_change(
    home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def pretend(command: list[str], say: Any = None) -> None:
        ran.append(command)
        if "venv" in command:
            (Path(command[-1]) / "bin").mkdir(parents=True)
            (Path(command[-1]) / "bin" / "python").touch()

    monkeypatch.setattr(environments, "_run", pretend)
    assert environments.ensure(home) == ["emulator", "sam"]
    assert environments.ensure(home) == []
    (home.root / "requirements" / "sam.txt").write_text("a==2\n")
    home.build_cache.mkdir()
    assert environments.ensure(home) == ["sam"]
    assert home.build_cache.exists()
    monkeypatch.setenv(environments.EMULATOR_PYTHON, "/another/python3")
    assert environments.ensure(home) == ["emulator"]
    assert not home.build_cache.exists()  # its layers were for the other interpreter
    assert len([each for each in ran if "venv" in each]) == 4
