"""`loopstep lsp`: the language server."""

from __future__ import annotations

import importlib.util
import os
import sys

import click

from loopstep.cli import outcome

LOOPBACK = "127.0.0.1"


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="Speak over stdin and stdout; the default, as editors start it.")
@click.option("--port", type=click.IntRange(1, 65535), help=f"Listen on {LOOPBACK} instead, for one editor.")
@click.option("--json", "as_json", is_flag=True, help="It speaks JSON either way.")
def lsp_command(stdio: bool, port: int | None, as_json: bool) -> int:
    """Serve an editor: diagnostics, completion, hover, declarations, references, renaming, quick fixes for plans.

    It is an optional part: pip install 'loopstep[lsp]'.
    """
    if stdio and port is not None:
        raise click.UsageError("--stdio and --port exclude each other.")
    if importlib.util.find_spec("pygls") is None:
        message = "the language server needs pygls, which is not installed"
        raise outcome.Failure(message, outcome.USAGE, "Install it with: pip install 'loopstep[lsp]'")
    from loopstep.lsp.server import make_server

    server = make_server()
    if port is None:
        with open(os.dup(sys.stdout.fileno()), "wb") as own:  # the server closes it
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else is printed is no message
            server.start_io(sys.stdin.buffer, own)
    else:
        server.start_tcp(LOOPBACK, port)
    return outcome.OK
