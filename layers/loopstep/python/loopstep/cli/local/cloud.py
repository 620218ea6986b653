"""One local cloud, whole: started, brought up to date, looked at, stopped."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

from loopstep.cli.local import emulator, environments, stack
from loopstep.cli.local.project import Project

Say = Callable[[str], None]
PLAIN = emulator.Mode()


class State(TypedDict):
    """state.json of a local cloud."""

    pid: int
    port: int
    endpoint: str
    url: str
    apiKey: str
    outputs: dict[str, str]
    strict: bool


def up(project: Project, say: Say, port: int | None = None, mode: emulator.Mode = PLAIN) -> State:
    """Start what does not run, build and deploy what changed; the state. A failure leaves nothing running."""
    with _endings_as_interrupts(), _locked(_shared(project)):
        with _step(say, "environments of the emulator and SAM"):
            environments.ensure(project, say)
        with _step(say, "sam build"):
            stack.build(project)
        running = read(project)
        if running is not None and port in (None, running["port"]) and mode.strict == running["strict"]:
            return _deployed(project, say, running["pid"], running["port"], mode)
        if running is not None:  # another port or mode is wanted
            emulator.stop(project, running["pid"])
        chosen = emulator.free_port(port)
        with _step(say, f"emulator on {emulator.endpoint(chosen)}"):
            pid = emulator.start(project, chosen, mode)
        try:
            return _deployed(project, say, pid, chosen, mode)
        except BaseException:
            emulator.stop(project, pid)
            project.state_file.unlink(missing_ok=True)
            raise


def _deployed(project: Project, say: Say, pid: int, port: int, mode: emulator.Mode) -> State:
    with _step(say, "sam deploy"):
        stack.deploy(project, port)
        found = stack.outputs(port)
        state = State(
            pid=pid,
            port=port,
            endpoint=emulator.endpoint(port),
            url=stack.api_url(port, found),
            apiKey=stack.api_key(port, found),
            outputs=found,
            strict=mode.strict,
        )
    _write(project, state)
    return state


def read(project: Project) -> State | None:
    """The state of the local cloud, None when it does not run (whatever an old file says)."""
    try:
        state: State = json.loads(project.state_file.read_text())
        runs = emulator.alive(state["pid"]) and emulator.ready(state["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state if runs else None


def down(project: Project, purge: bool = False, say: Say = lambda line: None) -> bool:
    """Stop it; whether it ran. With `purge`, builds, logs and kept data go too (not the environments).

    Builds belong to all local clouds of the project and stay while another one runs or keeps data.
    """
    with _locked(_shared(project)):
        state = read(project)
        if state is not None:
            say(f"stopping the emulator; after {emulator.STOP_SECONDS:.0f} s it is killed")
            with _step(say, "emulator stopped"):
                emulator.stop(project, state["pid"])
        emulator.discard(project)
        project.state_file.unlink(missing_ok=True)
        if purge:
            with _step(say, "data, logs and builds removed"):
                _purge(project, say)
    return state is not None


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
    return read(project) is not None or (project.data.is_dir() and any(project.data.iterdir()))


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
    with _endings_as_interrupts(), _locked(project.home / "session.lock"):
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
def _locked(file: Path) -> Iterator[None]:
    """One process at a time."""
    with contextlib.ExitStack() as held:
        while not _lock(file, held):
            held.close()
        yield


def _lock(file: Path, held: contextlib.ExitStack) -> bool:
    """Wait for the file; False where it has been removed in the meantime (`down --purge`)."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = held.enter_context(file.open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        return os.path.samestat(os.fstat(lock.fileno()), file.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _step(say: Say, name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    say(f"{name}: {time.monotonic() - began:.1f} s")
