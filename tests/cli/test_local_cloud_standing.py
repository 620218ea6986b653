"""A local cloud whose emulator is busy, halted, gone or another's: what is said of it, and what is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import outcome, remote
from loopstep.cli.local import cloud, emulator, environments, process, project

# What the emulator does about its port and its name, and nothing else. `slow` keeps it from its port for a while.
EMULATOR = """#!{python}
import http.server, json, os, socket, sys, time
port = int(os.environ["GATEWAY_PORT"])
with socket.socket() as probe:
    if probe.connect_ex(("127.0.0.1", port)) == 0:
        sys.exit("ERROR: the port is already in use")
time.sleep({slow})
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({{"edition": os.environ["MINISTACK_EDITION"], "ready_scripts": {{"status": "completed"}}}})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())
    def log_message(self, *words):
        pass
http.server.HTTPServer(("127.0.0.1", port), Health).serve_forever()
"""


def installed(home: project.Project, slow: float = 0) -> None:
    script = home.environment("emulator") / "bin" / "ministack"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(EMULATOR.format(python=sys.executable, slow=slow))
    script.chmod(0o755)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[project.Project]:
    """A project whose stack is nothing, on an emulator of some lines."""
    (tmp_path / "template.yaml").write_text("")
    (tmp_path / "layers" / "loopstep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name in (project.INSTANCE, remote.URL):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(environments, "ensure", lambda *given: [])
    monkeypatch.setattr(cloud.stack, "build", lambda *given: None)
    monkeypatch.setattr(cloud.stack, "deploy", lambda *given: None)
    monkeypatch.setattr(cloud.stack, "outputs", lambda *given: {})
    monkeypatch.setattr(cloud.stack, "api_url", lambda port, found: f"http://127.0.0.1:{port}/v1")
    monkeypatch.setattr(cloud.stack, "api_key", lambda *given: "k")
    monkeypatch.setattr(emulator, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(emulator, "PORT", emulator.free_port(0))
    home = project.Project(tmp_path.resolve())
    installed(home)
    yield home
    cloud.down(home)


def quiet(line: str) -> None:
    pass


def halted(home: project.Project) -> cloud.State:
    state = cloud.up(home, quiet)
    os.kill(state["pid"], signal.SIGSTOP)
    return state


def test_one_that_does_not_answer_runs(cli: Any, home: project.Project) -> None:
    state = halted(home)
    assert not emulator.ready(state["port"], state["name"])
    assert cloud.running(home) == cloud.read(home) == state
    done = cli("status")
    assert (done.exit_code, "running, but it does not answer" in done.stdout) == (outcome.OUT_OF_REACH, True)
    done = cli("status", "--json")
    assert done.exit_code == outcome.OK
    assert json.loads(done.stdout) == {
        "running": True,
        "url": state["url"],
        "apiKey": "k",
        "console": f"{state['url']}/console/",
    }
    assert "does not answer" in done.stderr


def test_a_command_says_who_does_not_answer(cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "SECONDS", 0.3)
    state = halted(home)
    done = cli("plans")
    assert done.exit_code == outcome.OUT_OF_REACH
    assert f"no answer from {state['url']}" in done.stderr and f"process {state['pid']}" in done.stderr


def test_down_ends_one_that_does_not_answer(cli: Any, home: project.Project) -> None:
    pid = halted(home)["pid"]
    assert cli("down").stdout == "Local cloud stopped.\n"
    assert not process.alive(pid)
    assert not home.state_file.exists()


def test_up_ends_one_that_does_not_answer_before_another(
    home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulator, "READY_SECONDS", 3.0)
    first = halted(home)
    second = cloud.up(home, quiet)
    assert not process.alive(first["pid"])
    assert cloud.answers(second) and not cloud.answers({**second, "name": first["name"]})
    assert second["port"] == first["port"]


def test_up_waits_for_one_that_is_busy(home: project.Project) -> None:
    first = halted(home)
    threading.Timer(1.0, os.kill, (first["pid"], signal.SIGCONT)).start()
    assert cloud.up(home, quiet)["pid"] == first["pid"]


def test_a_session_ends_what_was_left_and_itself(home: project.Project) -> None:
    left = halted(home)
    with cloud.session(home, quiet) as state:
        assert not process.alive(left["pid"])
        os.kill(state["pid"], signal.SIGSTOP)
    assert not process.alive(state["pid"])
    assert not home.state_file.exists()


def test_builds_stay_while_a_halted_one_uses_them(
    cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    halted(home)
    home.build.mkdir()
    monkeypatch.setenv(project.INSTANCE, "other")
    assert "the builds stay" in cli("down", "--purge").stderr
    assert home.build.is_dir()


def test_the_number_of_a_process_that_is_gone_is_no_cloud(cli: Any, home: project.Project) -> None:
    """Somebody else's emulator has got it."""
    state = cloud.up(home, quiet)
    home.state_file.write_text(json.dumps({**state, "born": "another moment"}))
    assert cloud.running(home) is None
    assert cli("down").stdout == "The local cloud was not running.\n"
    assert process.alive(state["pid"]) and not home.state_file.exists()
    assert process.end(state["pid"])


def test_what_cannot_be_ended_keeps_its_state(cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    state = cloud.up(home, quiet)
    with monkeypatch.context() as patch:
        patch.setattr(process, "end", lambda *given: False)
        done = cli("down")
    assert (done.exit_code, done.stdout) == (outcome.OUT_OF_REACH, "")
    assert f"process {state['pid']}, could not be stopped" in done.stderr
    assert cloud.running(home) == state and home.scratch.is_dir()


def test_one_is_known_before_it_is_deployed(cli: Any, home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """An `up` that is killed leaves nothing that nobody knows of."""
    seen: list[tuple[cloud.State | None, cloud.State | None, str, int]] = []

    def deploy(*given: Any) -> None:
        seen.append((cloud.running(home), cloud.read(home), cli("status").stdout, cli("plans").exit_code))

    monkeypatch.setattr(cloud.stack, "deploy", deploy)
    state = cloud.up(home, quiet)
    ((there, callable_, said, code),) = seen
    assert there is not None and (there["pid"], there["url"], callable_) == (state["pid"], "", None)
    assert said.startswith("not deployed yet") and code == outcome.OUT_OF_REACH


def test_one_that_is_to_keep_data_is_another(home: project.Project) -> None:
    first = cloud.up(home, quiet)
    second = cloud.up(home, quiet, mode=emulator.Mode(persist=True))
    assert first["pid"] != second["pid"]
    assert cloud.up(home, quiet)["pid"] == second["pid"]
    assert cloud._patience(second) > cloud._patience(first)


def test_a_port_that_another_emulator_took_at_the_same_time(home: project.Project) -> None:
    """That it answers there is no proof that it is ours."""
    installed(home, slow=0.5)
    others = project.Project(home.root, "other")
    states: list[cloud.State] = []
    ups = [
        threading.Thread(target=lambda each=each: states.append(cloud._started(each, quiet, None, cloud.PLAIN)))
        for each in (home, others)
    ]
    for each in ups:
        each.start()
    for each in ups:
        each.join()
    assert len({state["port"] for state in states}) == len(states) == 2
    assert all(map(cloud.answers, states))
    assert cloud.down(others)


def test_a_wanted_port_that_is_lost_is_said(home: project.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    state = cloud.up(home, quiet)
    monkeypatch.setattr(emulator, "free_port", lambda wanted: wanted)
    with pytest.raises(emulator.PortTaken) as refused:
        cloud._started(project.Project(home.root, "other"), quiet, state["port"], cloud.PLAIN)
    assert refused.value.exit_code == outcome.CONFLICT
    assert cloud.answers(state)


def test_who_waits_for_another_command_is_told(home: project.Project) -> None:
    said: list[str] = []
    with cloud._locked(home.local / "lock"):
        waiting = threading.Thread(target=cloud.down, args=(home, False, said.append))
        waiting.start()
        assert process.until(5, lambda: bool(said))
    waiting.join()
    assert said[0].startswith("waiting for another command")


def test_a_process_has_one_birth() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert process.birth(child.pid) == process.birth(child.pid) != ""
    assert not process.alive(child.pid)
    child.communicate(b"\n")
    assert process.birth(child.pid) == ""
