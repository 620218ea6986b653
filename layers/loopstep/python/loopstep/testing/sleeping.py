"""An invocation that may sleep on the clock of a case: in a thread of its own, which runs only while it is asked to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from loopstep.testing.machine import NOW, Walk

_AT = threading.local()  # whose thread this is


class Abandoned(BaseException):
    """Nobody waits for the invocation any more."""


class Invocation:
    """`act` in a thread; `walk` takes its turns."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._until = NOW
        self._abandoned = False
        self._outcome: Any = None
        self._fault: BaseException | None = None
        self._done = False

    def walk(self) -> Walk:
        """Yields until when it sleeps; returns what `act` returns, raises what it raises."""
        threading.Thread(target=self._run, daemon=True).start()
        try:
            while True:
                self._turn.release()
                self._back.acquire()
                if self._done:
                    break
                yield self._until
        finally:
            if not self._done:
                self._abandoned = True
                self._turn.release()
                self._back.acquire()
        if self._fault is not None:
            raise self._fault
        return self._outcome

    def rest(self) -> None:
        """Give the turn back."""
        self._back.release()
        self._turn.acquire()
        if self._abandoned:
            raise Abandoned

    def sleep(self, seconds: Callable[[], float], until: float) -> None:
        """Return when `seconds()` has come to `until`."""
        while seconds() < until:
            self._until = until
            self.rest()

    def _run(self) -> None:
        self._turn.acquire()
        _AT.invocation = self
        try:
            if not self._abandoned:
                self._outcome = self._act()
        except BaseException as fault:
            self._fault = fault
        self._done = True
        self._back.release()


def sleeper() -> Invocation | None:
    """The invocation whose thread this is."""
    found: Invocation | None = getattr(_AT, "invocation", None)
    return found
