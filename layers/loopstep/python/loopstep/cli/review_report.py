"""A review as Markdown: what is wrong, and of each changed plan the differences and its graph before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loopstep.cli.diff import line as change_line
from loopstep.diagnostics.diagnostic import ERROR, Diagnostic
from loopstep.diagnostics.one_line import plain

if TYPE_CHECKING:
    from loopstep.comparing.change import Comparison

MERMAID_CHARACTERS = 45_000  # GitHub draws up to 50,000
COMMENT_CHARACTERS = 60_000  # a comment has up to 65,536
SHOWN = 20  # diagnostics of a plan
MARKER = "<!-- loopstep review -->"


class Side(NamedTuple):
    """A plan as it is on one side. `graph` is Mermaid, "" for one with errors."""

    diagnostics: tuple[Diagnostic, ...]
    graph: str


class Reviewed(NamedTuple):
    """A plan that is another now; a side is None where the plan is not there.

    `comparison` is None where a side is missing or has errors.
    """

    path: str
    before: Side | None
    after: Side | None
    comparison: Comparison | None


def markdown(plans: Sequence[Reviewed], checked: int, most: int = 900_000) -> str:
    """The report; pictures go first, then text, where it would have more than `most` characters."""
    for pictures in (True, False):
        text = "\n".join(_lines(plans, checked, pictures)) + "\n"
        if len(text) <= most:
            return text
    return text[: most - 40].rsplit("\n", 1)[0] + "\n\n… and more, left out here.\n"


def _lines(plans: Sequence[Reviewed], checked: int, pictures: bool) -> Iterator[str]:
    yield MARKER
    yield "## Plans"
    yield ""
    broken = [each for each in plans if each.comparison is not None and each.comparison.breaking]
    changed = f"{len(plans)} changed" if plans else "none changed"
    callers = f", **{len(broken)} break{'s' if len(broken) == 1 else ''} callers**" if broken else ""
    yield f"{checked} plan{'' if checked == 1 else 's'} checked, {changed}{callers}."
    for each in plans:
        yield from _plan(each, pictures)


def _plan(reviewed: Reviewed, pictures: bool) -> Iterator[str]:
    yield ""
    yield f"### {_code(reviewed.path)}{_word(reviewed)}"
    yield ""
    if reviewed.after is not None and reviewed.after.diagnostics:
        yield from _diagnostics(reviewed.after.diagnostics)
    if reviewed.comparison is not None:
        yield from _changes(reviewed.comparison)
    for title, side in (("before", reviewed.before), ("after", reviewed.after)):
        if side is not None and side.graph and pictures:
            yield from _graph(title, side.graph, open_=title == "after")
    if not pictures:
        yield "The graphs are left out: the report would be too long."


def _word(reviewed: Reviewed) -> str:
    if reviewed.after is None:
        return " is gone"
    return " is new" if reviewed.before is None else ""


def _diagnostics(found: Sequence[Diagnostic]) -> Iterator[str]:
    for each in found[:SHOWN]:
        mark = "❌" if each.severity == ERROR else "⚠️"
        yield f"- {mark} line {each.line}: {_code(each.code)} {_text(each.message)}"
    if found[SHOWN:]:
        yield f"- … and {len(found) - SHOWN} more"
    yield ""


def _changes(comparison: Comparison) -> Iterator[str]:
    rest = [change for change in comparison.changes if not change.breaks]
    if not comparison.changes:
        yield "Nothing that means something is another."
        yield ""
    for title, changes in (("Breaks callers", comparison.breaking), ("Breaks nobody", rest)):
        if changes:
            yield f"**{title}**"
            yield ""
            yield from _fenced("diff", "\n".join(_diff_line(change_line(change)) for change in changes))


def _diff_line(text: str) -> str:
    """Green and red where a `diff` block has them."""
    return text if text[0] in "+-" else f"! {text}"


def _graph(title: str, graph: str, open_: bool) -> Iterator[str]:
    yield f"<details{' open' if open_ else ''}><summary>Graph {title}</summary>"
    yield ""
    if len(graph) > MERMAID_CHARACTERS:
        yield "It is too large to be drawn here: `loopstep graph FILE -o FILE.svg` draws it."
    else:
        yield from _fenced("mermaid", graph.rstrip("\n"))
    yield "</details>"
    yield ""


def _fenced(language: str, text: str) -> Iterator[str]:
    """A block whose fence is longer than any in the text."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield text
    yield fence
    yield ""


def _code(text: str) -> str:
    text = plain(text)
    fence = "`" * (max((len(found) for found in re.findall("`+", text)), default=0) + 1)
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def _text(text: str) -> str:
    """A sentence with nothing in it that Markdown or HTML would be; what stands in backticks stays.

    A mention or the number of an issue is one behind a backslash too, so an empty character goes behind its mark.
    """
    parts = re.split(r"(`[^`]*`)", plain(text))
    return "".join(part if part.startswith("`") else _inert(part) for part in parts)


def _inert(text: str) -> str:
    return re.sub("([@#])", "\\1\u200b", re.sub(r"([\\<>\[\]*_~|!&`])", r"\\\1", text))
