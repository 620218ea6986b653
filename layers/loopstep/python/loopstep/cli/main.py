"""`loopstep`: the group of commands. A command's module is imported when the command is called, never before."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn

import click

from loopstep import __version__
from loopstep.cli import outcome

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# name: (attribute of loopstep.cli.<module>, one line for the list)
PLANS = {
    "init": ("init", "Begin: a plan with cases, a README and a workflow, of a template."),
    "check": ("check", "Say what is wrong with plans, all of it at once."),
    "compile": ("compile", "Print the state machine that a plan compiles to."),
    "explain": ("explain", "Show a plan's data flow edge by edge, or what a diagnostic code means."),
    "graph": ("graph", "Draw a plan, or where its data lives, as SVG or Mermaid."),
    "lsp": ("lsp", "Serve an editor: checks, completion, hover, quick fixes."),
    "symbols": ("symbols", "List what a place of a plan may read."),
    "schema": ("schema", "Print the JSON Schema of plans, for editors."),
    "diff": ("diff", "Compare two plans, and say what breaks callers."),
    "review": ("review", "Say what a change does to the plans of a repository."),
    "test": ("test", "Run the cases beside plans: inputs, answers, what has to come."),
    "cost": ("cost", "Estimate what runs of a plan cost on AWS."),
    "import": ("canvas", "Lower a canvas document to a plan."),
    "mappings": ("canvas", "List what the inputs of a canvas node can be taken from."),
    "eval": ("evaluate", "Evaluate expressions, one JSON line each."),
    "convert": ("convert", "Convert values, one JSON line each."),
}
CLOUD = {
    "up": ("cloud", "Start the local cloud, or bring it up to date."),
    "down": ("cloud", "Stop the local cloud."),
    "status": ("cloud", "Say whether the local cloud runs, and where."),
    "completion": ("completion", "Make a shell complete commands, plans, runs and codes."),
    "doctor": ("doctor", "Look for what is wrong, here and with a stack."),
    "demo": ("demo", "Start, publish an example, run it, show everything, stop."),
}
RUNS = {
    "publish": ("publish", "Publish a plan as its next version."),
    "plans": ("publish", "List the published plans."),
    "run": ("run", "Start a run and, with --watch, follow it."),
    "runs": ("runs", "List runs."),
    "show": ("runs", "Show a run: timeline, edges taken, state, messages, output."),
    "cancel": ("runs", "Stop a run."),
    "redrive": ("redrive", "Let a failed run go on from where it failed."),
    "messages": ("runs", "List what was sent."),
    "files": ("run_files", "List, upload, download, remove files of a run."),
}
TRIGGERS = {
    "schedules": ("schedules", "What starts plans when: cron, rates, single times."),
    "triggers": ("triggers", "Events that start plans."),
    "dead-letters": ("triggers", "Events and firings that could start no run."),
}
PEOPLE = {
    "approvals": ("waits", "List what waits for a decision."),
    "approve": ("waits", "Approve."),
    "reject": ("waits", "Reject."),
    "callbacks": ("waits", "List what waits for an answer."),
    "callback": ("waits", "Answer a callback: succeed or fail."),
}
ACCESS = {
    "keys": ("keys", "Who may call the API, and what."),
}
REGISTRY = {
    "skills": ("registry", "Skills that plans and agents use."),
    "agents": ("registry", "Agents that plans use."),
    "sources": ("registry", "Knowledge sources and their documents."),
    "scopes": ("registry", "Scopes that messages go to, with their limits."),
}
SECTIONS = {
    "Plans": PLANS,
    "Local cloud": CLOUD,
    "Runs": RUNS,
    "Triggers": TRIGGERS,
    "People": PEOPLE,
    "Registry": REGISTRY,
    "Access": ACCESS,
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


COMPLETING = "_LOOPSTEP_COMPLETE"  # set by a shell that asks for completions
DEBUG = "LOOPSTEP_DEBUG"  # shows the traceback of what nobody foresaw
YOUNG = 100_000  # objects that may come to be before the garbage collector looks for cycles among them


class LazyGroup(click.Group):
    """Knows its commands by name and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"loopstep.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        if COMPLETING in os.environ:
            from loopstep.cli.completion import attach

            return attach(command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands by name, none of them imported."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=COMMANDS[name][1]) for name in COMMANDS if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def loopstep() -> None:
    """Typed workflow plans, compiled to AWS Step Functions.

    Exit codes: 0 ok, 1 the answer is no, 2 usage, 4 not allowed, 5 not found, 6 conflict, 7 still running,
    8 service out of reach, 70 a fault of loopstep itself (LOOPSTEP_DEBUG=1 shows where), 130 interrupted.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    try:
        _refuse_foreign_bytes(sys.argv[1:] if arguments is None else arguments)
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
        _drop_stdout()
        return outcome.OK
    except Exception as fault:
        if isinstance(fault, OSError):  # a full disk: what is buffered would fail once more at the end
            _drop_stdout()
        return _broken(fault)


def _refuse_foreign_bytes(arguments: Sequence[str]) -> None:
    """No argument can be sent, stored or printed that is not UTF-8. Raises Failure."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="backslashreplace").decode()
            raise outcome.Failure(f"an argument is not UTF-8: {shown}", outcome.USAGE) from None


def _broken(fault: Exception) -> int:
    """What nobody foresaw, in one line; with LOOPSTEP_DEBUG the whole way to it."""
    if os.environ.get(DEBUG):
        import traceback

        click.echo(traceback.format_exc(), err=True, nl=False)
    text = " ".join(f"{type(fault).__name__}: {fault}".split())
    outcome.Failure(f"loopstep failed: {text}", outcome.BROKEN, f"{DEBUG}=1 shows where.").show()
    return outcome.BROKEN


def _drop_stdout() -> None:
    with contextlib.suppress(OSError):  # no file at all under a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> NoReturn:
    """The console script. JSON is UTF-8, whatever the locale says; half of a surrogate pair becomes its JSON escape.

    Most commands end before garbage matters: the collector seldom looks, so that long ones stay small, and does not go
    through everything once more at the end.
    """
    gc.set_threshold(YOUNG)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    code = run()
    gc.freeze()
    sys.exit(code)
