"""Stopping what runs: an execution and each Parallel or Map in it is a scope; who stops a scope stops all inside.

AWS, Parallel and Map pages: if one branch fails, the others are stopped; StopExecution and the timeout of a machine
stop all. An invoked Lambda function runs on, its answer is dropped.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections.abc import Callable, Iterator


class Stopped(Exception):
    """The scope of this thread is stopped: leave, without an event and without an output."""


class Scope:
    """One thing that can be stopped, with all inside it."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.stopped = threading.Event()
        self._parent = parent
        self._inside: set[Scope] = set()
        self._wakes: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        if parent is not None:
            parent._adopt(self)

    def _adopt(self, child: Scope) -> None:
        with self._lock:
            self._inside.add(child)
            late = self.stopped.is_set()
        if late:
            child.stop()

    def stop(self) -> None:
        """Stop it for ever: what waits in it wakes up, what works leaves at its next state, task tokens are dead."""
        with self._lock:
            self.stopped.set()
            inside, wakes = list(self._inside), list(self._wakes)
        for wake in wakes:
            wake()
        for child in inside:
            child.stop()

    def leave(self) -> None:
        """It has ended by itself; threads that are still in it have no business any more."""
        self.stop()
        if self._parent is not None:
            with self._parent._lock:
                self._parent._inside.discard(self)

    @contextlib.contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """`wake` is called before a stop returns to whoever stops; the block ends with Stopped then."""
        with self._lock:
            self._wakes.append(wake)
            late = self.stopped.is_set()
        if late:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)
        self.check()

    def check(self) -> None:
        """Raises Stopped."""
        if self.stopped.is_set():
            raise Stopped


_current: contextvars.ContextVar[Scope] = contextvars.ContextVar("scope")
_executions: dict[str, Scope] = {}


def current() -> Scope:
    """The scope of this thread; one that nobody can stop outside of executions (TestState)."""
    return _current.get(None) or Scope()


@contextlib.contextmanager
def execution(arn: str) -> Iterator[Scope]:
    """The scope of an execution, under its ARN."""
    scope = _executions[arn] = Scope()
    before = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(before)
        _executions.pop(arn, None)
        scope.leave()


@contextlib.contextmanager
def region() -> Iterator[Scope]:
    """The scope of one attempt of a Parallel or a Map, inside the current one."""
    scope = Scope(current())
    before = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(before)
        scope.leave()


def stop_execution(arn: str) -> None:
    """Stop what runs under this ARN, if anything does."""
    scope = _executions.get(arn)
    if scope is not None:
        scope.stop()


def stop_all() -> None:
    """Stop everything: the emulator is reset."""
    for scope in list(_executions.values()):
        scope.stop()


def sleep(seconds: float) -> None:
    """Wait that long, or until the scope is stopped: Stopped then."""
    if seconds > 0:
        current().stopped.wait(min(seconds, threading.TIMEOUT_MAX))
    current().check()


def spawn(work: Callable[[], None]) -> None:
    """Run `work` in a thread of its own, in the account, region and scope of this one."""
    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
