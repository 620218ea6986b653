"""Exit codes of every command (ARCHITECTURE §6), and the one exception that carries them."""

from __future__ import annotations

from typing import IO, Any

import click

OK = 0
NO = 1  # the answer is no: the plan has errors; the run failed, was cancelled or timed out
USAGE = 2
NOT_ALLOWED = 4
NOT_FOUND = 5
CONFLICT = 6
STILL_RUNNING = 7
OUT_OF_REACH = 8
BROKEN = 70  # a fault of loopstep itself; EX_SOFTWARE of sysexits.h
INTERRUPTED = 130


class Failure(click.ClickException):
    """Ends the command: one line what, one line what to do about it (`hint`), and an exit code."""

    def __init__(self, message: str, exit_code: int, hint: str = "") -> None:
        super().__init__(message)
        self.code = exit_code
        self.hint = hint

    @property
    def exit_code(self) -> int:  # type: ignore[override]  # click declares a class attribute
        """What the process ends with."""
        return self.code

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"Error: {visible(self.message)}", err=True)
        if self.hint:
            click.echo(f"  {visible(self.hint)}", err=True)


def visible(text: str) -> str:
    """Lines for a terminal that they cannot steer, whoever wrote them: an API, a log, a document."""
    from loopstep.diagnostics import visible as characters  # only a failing command pays for it

    return "\n".join(map(characters.visible, text.expandtabs().splitlines()))
