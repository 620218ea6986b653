"""Diagnostics as people see them: on stdout as the answer of `check`, on stderr where another answer was asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import IO

import click

from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.diagnostics.render import render, render_json


def coloured(stream: IO[str]) -> bool:
    """Whether to write colours there: to a terminal that has any, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def echo(file: str, document: bytes, diagnostics: Sequence[Diagnostic], to_stderr: bool = False) -> None:
    """Write all diagnostics of one file; nothing where there are none."""
    stream = sys.stderr if to_stderr else sys.stdout
    if diagnostics:
        click.echo(render(file, document, diagnostics, colour=coloured(stream)), err=to_stderr, color=True)


def echo_json(file: str, diagnostics: Sequence[Diagnostic]) -> None:
    """What `check --json` prints about the file: the answer where the one that was asked for cannot be given."""
    click.echo(json.dumps(render_json({file: diagnostics}), ensure_ascii=False))
