"""`loopstep completion`, and what shells are told: plans, runs, waits and codes, where an answer comes in a moment.

Whatever goes wrong, nothing is said: who presses a key wants no message.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from loopstep.cli import remote

SHELLS = ("bash", "zsh", "fish")
SECONDS = 0.8  # that somebody waits for a list
MOST = 50

Finder = Callable[[str], Iterator[CompletionItem]]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> None:
    """Print what makes SHELL complete commands, options, plans, runs and codes.

    \b
    bash:  echo 'eval "$(loopstep completion bash)"' >> ~/.bashrc
    zsh:   echo 'eval "$(loopstep completion zsh)"' >> ~/.zshrc
    fish:  loopstep completion fish > ~/.config/fish/completions/loopstep.fish
    """
    from loopstep.cli.main import COMPLETING, loopstep

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(loopstep, {}, "loopstep", COMPLETING).source())


def attach(command: click.Command) -> click.Command:
    """The command, its parameters completed by what they are called."""
    for parameter in command.params:
        finder = _FINDERS.get(parameter.name or "")
        plain = isinstance(parameter.type, click.types.StringParamType) and not getattr(parameter, "is_flag", False)
        if finder is not None and plain:
            setattr(parameter, "shell_complete", _completing(finder))  # noqa: B010
    if isinstance(command, click.Group):
        for each in command.commands.values():
            attach(each)
    return command


def _completing(finder: Finder) -> Callable[[click.Context, str], list[CompletionItem]]:
    return lambda context, incomplete: list(finder(incomplete))


# -- what there is ---------------------------------------------------------------------------------------------------


def _files(incomplete: str) -> Iterator[CompletionItem]:
    yield CompletionItem(incomplete, type="file")


def _plans(incomplete: str) -> Iterator[CompletionItem]:
    """Published plans; files too, for `run`."""
    for item in _listed("/plans"):
        if item["name"].startswith(incomplete):
            yield CompletionItem(item["name"], help=item.get("title") or None)
    yield from _files(incomplete)


def _versions(incomplete: str) -> Iterator[CompletionItem]:
    """Files, and `NAME@latest` of published plans."""
    for item in _listed("/plans"):
        name = f"{item['name']}@latest"
        if name.startswith(incomplete):
            yield CompletionItem(name, help=f"v{item['version']}")
    yield from _files(incomplete)


def _runs(incomplete: str) -> Iterator[CompletionItem]:
    for item in _listed("/runs"):
        if item["runId"].startswith(incomplete):
            yield CompletionItem(item["runId"], help=f"{item['plan']} {item['status']}")


def _waits(incomplete: str) -> Iterator[CompletionItem]:
    for kind, text in (("approvals", "summary"), ("callbacks", "text")):
        for item in _listed(f"/{kind}", status="pending"):
            if item["id"].startswith(incomplete):
                yield CompletionItem(item["id"], help=_short(item.get(text)))


def _codes(incomplete: str) -> Iterator[CompletionItem]:
    from loopstep.cli.code_page import KNOWN, page_json

    found = [code for code in KNOWN if code.startswith(incomplete)] if incomplete else []
    for code in found:
        yield CompletionItem(code, help=page_json(code)["title"])
    if not found:
        yield from _files(incomplete)


_FINDERS: dict[str, Finder] = {
    **dict.fromkeys(("file", "paths", "given", "source", "sarif", "junit", "target"), _files),
    **dict.fromkeys(("run", "run_id"), _runs),
    **dict.fromkeys(("before", "after"), _versions),
    "plan": _plans,
    "wait": _waits,
    "what": _codes,
}


def _listed(path: str, **query: str) -> list[dict[str, Any]]:
    """The first items of a list of the service; none where it does not answer at once."""
    found: list[dict[str, Any]] = []

    def ask() -> None:
        try:
            found.extend(remote.connect().items(path, MOST, **query))
        except Exception:  # also a Failure: there is no service, or it refuses
            return

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(SECONDS)
    return list(found)


def _short(text: Any) -> str | None:
    return " ".join(str(text).split())[:60] if text else None
