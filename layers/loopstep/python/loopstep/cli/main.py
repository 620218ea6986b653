"""`loopstep`: the group of commands. A command's module is imported when the command is called, never before."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

import click

from loopstep import __version__
from loopstep.cli import outcome

# name: (attribute of loopstep.cli.<module>, one line for the list)
PLANS = {
    "check": ("check", "Say what is wrong with plans, all of it at once."),
    "compile": ("compile", "Print the state machine that a plan compiles to."),
    "explain": ("explain", "Show a plan's data flow edge by edge, or what a diagnostic code means."),
    "eval": ("evaluate", "Evaluate expressions, one JSON line each."),
    "convert": ("convert", "Convert values, one JSON line each."),
}
CLOUD = {
    "up": ("cloud", "Start the local cloud, or bring it up to date."),
    "down": ("cloud", "Stop the local cloud."),
    "status": ("cloud", "Say whether the local cloud runs, and where."),
    "demo": ("demo", "Start, publish an example, run it, show everything, stop."),
}
RUNS = {
    "publish": ("publish", "Publish a plan as its next version."),
    "plans": ("publish", "List the published plans."),
    "run": ("run", "Start a run and, with --watch, follow it."),
    "runs": ("runs", "List runs."),
    "show": ("runs", "Show a run: timeline, edges taken, state, messages, output."),
    "cancel": ("runs", "Stop a run."),
    "messages": ("runs", "List what was sent."),
}
SECTIONS = {"Plans": PLANS, "Local cloud": CLOUD, "Runs": RUNS}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


class LazyGroup(click.Group):
    """Knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"loopstep.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def loopstep() -> None:
    """Typed workflow plans, compiled to AWS Step Functions.

    Exit codes: 0 ok, 1 the answer is no, 2 usage, 4 not allowed, 5 not found, 6 conflict, 7 still running,
    8 service out of reach, 130 interrupted.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    try:
        done = loopstep.main(args=arguments, prog_name="loopstep", standalone_mode=False)
        sys.stdout.flush()
        return done if isinstance(done, int) else outcome.OK
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return outcome.INTERRUPTED
    except click.ClickException as fault:
        fault.show()
        return fault.exit_code
    except BrokenPipeError:  # `loopstep … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return outcome.OK


def main() -> NoReturn:
    """The console script. JSON is UTF-8, whatever the locale says."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    sys.exit(run())
