"""Markdown by its headings: `#` to `######`, and the underlined ones; what stands in a code fence is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loopstep.knowledge.passage import Section

_MARKS = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FRONT_MATTER = re.compile(r"---\n((?:[^\n]*\n){0,100}?)---[ \t]*(?=\n|$)")
_NO_PARAGRAPH = ("#", ">", "-", "*", "|", "=", "```", "~~~")  # what these begin is not underlined
_LONGEST = 1_000  # characters of a line that may be a heading


def sections_of_markdown(text: str) -> tuple[str, list[Section]]:
    """The document's title ("" without one), and its sections; a heading is also the first line of its section."""
    front = _FRONT_MATTER.match(text)
    if front:
        text = "\n" * front[0].count("\n") + text[front.end() :]
    sections = list(_sections(text))
    given = re.search(r"(?m)^title:[ \t]*(\S[^\n]*)$", front[1]) if front else None
    if given:
        return given[1].strip().strip("\"'"), sections
    return next((section.path[0] for section in sections if section.path), ""), sections


def _sections(text: str) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        fence, within = _fence(line, fence)
        level, heading, above = (0, "", 0) if within else _heading(line, lines)
        if not level:
            lines.append(line)
            continue
        kept = lines[len(lines) - above :]
        yield Section(_names(path), start, "\n".join(lines[: len(lines) - above]))
        path = [each for each in path if each[0] < level] + [(level, heading)]
        lines, start = [*kept, line], number - above
    yield Section(_names(path), start, "\n".join(lines))


def _names(path: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(heading for _, heading in path if heading)


def _fence(line: str, fence: str) -> tuple[str, bool]:
    """The fence that is open after the line, "" for none, and whether the line belongs to code."""
    found = _FENCE.match(line)
    if fence:
        closes = found is not None and found[1].startswith(fence) and not line.strip().strip(fence[0])
        return ("" if closes else fence), True
    return (found[1], True) if found else ("", False)


def _heading(line: str, before: list[str]) -> tuple[int, str, int]:
    """Level and text of the heading that a line ends, and how many lines before it are part of it; level 0: none."""
    if len(line) > _LONGEST:
        return 0, "", 0
    marks = _MARKS.match(line)
    if marks:
        return len(marks[1]), _without_closing_marks(line[marks.end() :].strip()), 0
    under = _UNDERLINE.match(line)
    above = before[-1].strip() if before else ""
    alone = len(before) == 1 or (len(before) > 1 and not before[-2].strip())
    if under and above and alone and len(above) <= _LONGEST and not above.startswith(_NO_PARAGRAPH):
        return (1 if under[1][0] == "=" else 2), above, 1
    return 0, "", 0


def _without_closing_marks(heading: str) -> str:
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare != bare.rstrip() else heading
