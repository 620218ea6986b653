"""One local cloud, whole: started, brought up to date, looked at, stopped."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NotRequired, TypedDict

from loopstep.cli import outcome
from loopstep.cli.local import emulator, environments, process, stack
from loopstep.cli.local.project import Project

Say = Callable[[str], None]
PLAIN = emulator.Mode()
PORT_TRIES = 5  # others choose a port at the same time


class State(TypedDict):
    """state.json of a local cloud. It is there as soon as the process is; `url` is "" before the first deployment."""

    pid: int
    port: int
    endpoint: str
    url: str
    apiKey: str
    outputs: dict[str, str]
    strict: bool
    model: NotRequired[str]  # address of the server that answers for models, "" for none
    persist: NotRequired[bool]
    born: NotRequired[str]  # when the process began: its id alone may be another's by now
    name: NotRequired[str]  # what the emulator calls itself


def up(project: Project, say: Say, port: int | None = None, mode: emulator.Mode = PLAIN) -> State:
    """Start what does not run, build and deploy what changed; the state. A failure leaves nothing running."""
    with _endings_as_interrupts(), _locked(_shared(project), say):
        with _step(say, "environments of the emulator and SAM"):
            environments.ensure(project, say)
        with _step(say, "sam build"):
            stack.build(project)
        there = running(project)
        if there is not None and port in (None, there["port"]) and _as_wanted(there, mode):
            if process.until(emulator.READY_SECONDS, lambda: answers(there)):
                return _deployed(project, say, there, mode)
            say("the local cloud that runs does not answer: it is started anew")
        if there is not None:
            _stop(project, there)
        return _started(project, say, port, mode)


def _as_wanted(there: State, mode: emulator.Mode) -> bool:
    """Whether a local cloud that runs need not be started anew. One that keeps its data may go on doing so."""
    kept = there.get("persist", False) or not mode.persist
    return kept and mode.strict == there["strict"] and mode.model == there.get("model", "")


def _started(project: Project, say: Say, port: int | None, mode: emulator.Mode) -> State:
    """A new emulator, and the stack on it. Who loses the race for a free port chooses another."""
    for tries_left in reversed(range(PORT_TRIES if port is None else 1)):
        chosen = emulator.free_port(port)
        try:
            return _begun(project, say, chosen, mode)
        except emulator.PortTaken:
            if not tries_left:
                raise
            say(f"port {chosen} was taken at the same time: another one")
    raise AssertionError


def _begun(project: Project, say: Say, port: int, mode: emulator.Mode) -> State:
    state = State(
        pid=0,
        port=port,
        endpoint=emulator.endpoint(port),
        url="",
        apiKey="",
        outputs={},
        strict=mode.strict,
        model=mode.model,
        persist=mode.persist,
        name=f"loopstep-{secrets.token_hex(8)}",
    )

    def record(pid: int) -> None:
        """At once: whoever is killed now leaves a process that `down` finds."""
        state["pid"], state["born"] = pid, process.birth(pid)
        _write(project, state)

    try:
        with _step(say, f"emulator on {state['endpoint']}"):
            emulator.start(project, port, mode, state["name"], record)
        return _deployed(project, say, state, mode)
    except BaseException:
        if emulator.stop(project, state["pid"], state.get("born", "")):
            project.state_file.unlink(missing_ok=True)
        raise


def _deployed(project: Project, say: Say, there: State, mode: emulator.Mode) -> State:
    port = there["port"]
    with _step(say, "sam deploy"):
        stack.deploy(project, port, bool(mode.model))
        found = stack.outputs(port)
        state = there.copy()
        state["url"], state["apiKey"], state["outputs"] = stack.api_url(port, found), stack.api_key(port, found), found
    _write(project, state)
    return state


def running(project: Project) -> State | None:
    """The state of the local cloud whose process is there, deployed or not, answering or not; None where none is.

    Not to answer is no proof: a busy machine does that. What an old file says of a process that is gone, or has become
    another's, is not believed.
    """
    try:
        state: State = json.loads(project.state_file.read_text())
        there = process.alive(state["pid"], state.get("born", ""))
        return state if there and isinstance(state["port"], int) and isinstance(state["url"], str) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read(project: Project) -> State | None:
    """The state of the local cloud that runs and can be called; whether it answers is not asked."""
    state = running(project)
    return state if state is not None and state["url"] else None


def answers(state: State) -> bool:
    """Whether the emulator says that it is the one of this state, within some seconds."""
    return emulator.ready(state["port"], state.get("name", ""))


def down(project: Project, purge: bool = False, say: Say = lambda line: None) -> bool:
    """Stop it; whether it ran. With `purge`, builds, logs and kept data go too (not the environments).

    Builds belong to all local clouds of the project and stay while another one runs or keeps data.
    """
    with _locked(_shared(project), say):
        state = running(project)
        if state is not None:
            say(f"stopping the emulator; after {_patience(state):.0f} s it is killed")
            with _step(say, "emulator stopped"):
                _stop(project, state)
        emulator.discard(project)
        project.state_file.unlink(missing_ok=True)
        if purge:
            with _step(say, "data, logs and builds removed"):
                _purge(project, say)
    return state is not None


def _stop(project: Project, state: State) -> None:
    """Raises Failure where the process stays; its state stays too."""
    if not emulator.stop(project, state["pid"], state.get("born", ""), _patience(state)):
        raise outcome.Failure(
            f"the emulator, process {state['pid']}, could not be stopped",
            outcome.OUT_OF_REACH,
            "It may be another user's. Nothing of it was removed.",
        )
    project.state_file.unlink(missing_ok=True)


def _patience(state: State) -> float:
    return emulator.SAVE_SECONDS if state.get("persist") else emulator.STOP_SECONDS


def _purge(project: Project, say: Say) -> None:
    gone = [project.data, project.logs, project.home / "sam-cli", *emulator.leftovers(project)]
    users = [other.instance or "the usual one" for other in project.others() if _in_use(other)]
    if users:
        say(f"the builds stay: other local clouds share them ({', '.join(users)})")
    else:
        gone += [project.build, project.build_cache, project.local / "build.toml"]
    for folder in gone:
        if folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.unlink(missing_ok=True)
    if project.instance:
        _forget(project.home / "session.lock")
        for folder in (project.home, project.clouds):
            with contextlib.suppress(OSError):  # somebody's, or not empty
                folder.rmdir()


def _in_use(project: Project) -> bool:
    return running(project) is not None or (project.data.is_dir() and any(project.data.iterdir()))


def _forget(file: Path) -> None:
    """Remove a lock that nobody holds."""
    with contextlib.suppress(OSError), file.open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink()


@contextlib.contextmanager
def session(project: Project, say: Say, mode: emulator.Mode = PLAIN) -> Iterator[State]:
    """A local cloud for the time of the block: `make demo`, `make test`. It ends with the block, whatever happens.

    Another session of the same name is waited for; what a killed one left behind is stopped first.
    """
    with _endings_as_interrupts(), _locked(project.home / "session.lock", say):
        down(project)
        try:
            yield up(project, say, mode=mode)
        finally:
            down(project)


def _shared(project: Project) -> Path:
    """The lock of all local clouds of a project: they share the environments and the build folder."""
    return project.local / "lock"


@contextlib.contextmanager
def _endings_as_interrupts() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does, so that what it started is stopped."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signs = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(sign, interrupt) for sign in signs]
    try:
        yield
    finally:
        for sign, handler in zip(signs, before, strict=True):
            signal.signal(sign, handler)


def _write(project: Project, state: State) -> None:
    """Whole or not at all, and for the owner's eyes: it holds the API key."""
    draft = project.state_file.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        json.dump(state, out, indent=2)
    draft.replace(project.state_file)


@contextlib.contextmanager
def _locked(file: Path, say: Say = lambda line: None) -> Iterator[None]:
    """One process at a time; who has to wait is told so."""
    with contextlib.ExitStack() as held:
        while not _lock(file, held, say):
            held.close()
        yield


def _lock(file: Path, held: contextlib.ExitStack, say: Say) -> bool:
    """Wait for the file; False where it has been removed in the meantime (`down --purge`)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = held.enter_context(file.open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another command that is at a local cloud of this project")
            fcntl.flock(lock, fcntl.LOCK_EX)
        return os.path.samestat(os.fstat(lock.fileno()), file.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _step(say: Say, name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    say(f"{name}: {time.monotonic() - began:.1f} s")
