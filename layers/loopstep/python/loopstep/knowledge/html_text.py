"""The text of an HTML page by its headings. Every character is looked at once, however the page is broken.

The standard library's parser takes quadratic time for tags that do not end; here such a page is refused with the line.
"""

from __future__ import annotations

import html
import re

from loopstep.knowledge.passage import Problem, Section, Unreadable

_HIDDEN = {"script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select", "textarea"}
_RAW = _HIDDEN | {"title"}  # what is skipped, or read, up to its end tag
_INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "input", "ins", "kbd", "label", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
    "sub", "sup", "time", "tt", "u", "var", "wbr",
}  # fmt: skip
_MARKUP = re.compile(r"<(?=[!?]|/?[A-Za-z])")  # any other `<` is text
_NAME = re.compile(r"/?[A-Za-z][^\s/>]{0,63}")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HUGE = re.compile(r"&#[xX]?[0-9A-Fa-f]{8,};?")  # numbers that no character has; Python refuses the longest


class HtmlText:
    """Reads a page once: `title`, and the sections. Raises Unreadable for a tag or comment that does not end."""

    def __init__(self, text: str) -> None:
        self.title = ""
        self.sections: list[Section] = []
        self._text = text
        self._path: list[tuple[int, str]] = []
        self._held: list[tuple[str, int]] = []  # pieces of text with the lines where they begin
        self._start = self._line = 1
        self._counted = 0  # up to here line ends are counted
        self._heading: int | None = None  # where in `_held` an open heading begins
        self._read()

    def _read(self) -> None:
        at = 0
        while (found := _MARKUP.search(self._text, at)) is not None:
            self._hold(at, found.start())
            at = self._markup(found.start())
        self._hold(at, len(self._text))
        self._close()

    def _hold(self, at: int, end: int) -> None:
        """Keep the text in between, with the line of its first character that is no blank."""
        text = self._text[at:end]
        if text:
            self._held.append((_plain(text), self._line_at(at + len(text) - len(text.lstrip()))))

    def _put(self, text: str) -> None:
        """Keep what stands for markup."""
        self._held.append((text, 0))

    def _markup(self, at: int) -> int:
        """Take the markup that begins at `at`; where what follows begins."""
        if self._text.startswith("<!--", at):
            return self._after(at, "-->", "a comment", at + 4)
        if self._text.startswith(("<!", "<?"), at):
            return self._after(at, ">", "a declaration", at + 2)
        name = _NAME.match(self._text, at + 1)
        assert name is not None, "as _MARKUP says"
        end = self._tag_end(at, name.end())
        word = name[0].lower()
        self._tag(word, at)
        return self._raw(word, at, end) if word in _RAW and self._text[end - 2] != "/" else end

    def _after(self, at: int, closing: str, what: str, begin: int) -> int:
        end = self._text.find(closing, begin)
        if end < 0:
            raise Unreadable(Problem(self._line_at(at), f"{what} does not end"))
        return end + len(closing)

    def _tag_end(self, begin: int, at: int) -> int:
        """Behind the `>` that ends a tag; those in quotes do not."""
        while (found := _stop().search(self._text, at)) is not None:
            if found[0] == ">":
                return found.end()
            closing = self._text.find(found[0][-1], found.end())
            if closing < 0:
                break
            at = closing + 1
        raise Unreadable(Problem(self._line_at(begin), "a tag does not end"))

    def _raw(self, word: str, begin: int, end: int) -> int:
        """Skip, or read, the text up to the end tag, whatever looks like markup in it."""
        found = re.compile(f"</{word}", re.IGNORECASE).search(self._text, end)
        closing = self._text.find(">", found.end()) if found else -1
        if found is None or closing < 0:
            raise Unreadable(Problem(self._line_at(begin), f"<{word}> does not end"))
        if word == "title" and not self.title:
            self.title = " ".join(_plain(self._text[end : found.start()]).split())
        return closing + 1

    def _tag(self, name: str, at: int) -> None:
        word = name.lstrip("/")
        if word in _HEADINGS:
            self._headed(name, _HEADINGS[word], at)
        elif word == "br":
            self._put("\n")
        elif word in ("td", "th", "dd"):
            self._put(" ")
        elif word in ("li", "tr", "dt", "option"):
            self._put("\n")
        elif word not in _INLINE:
            self._put("\n\n")

    def _headed(self, name: str, level: int, at: int) -> None:
        if not name.startswith("/"):
            self._close()
            self._path = [each for each in self._path if each[0] < level] + [(level, "")]
            self._start, self._heading = self._line_at(at), 0
        elif self._heading is not None:
            heading = " ".join("".join(text for text, _ in self._held[self._heading :]).split())[:1000]
            self._path = [*self._path[:-1], (level, heading)] if self._path else [(level, heading)]
            self._heading = None
            self._put("\n\n")

    def _close(self) -> None:
        lines = _lines(self._held, self._start)
        if lines:
            names = tuple(heading for _, heading in self._path if heading)
            text = "\n".join(line for line, _ in lines)
            self.sections.append(Section(names, self._start, text, tuple(number for _, number in lines)))
        self._held = []
        self._heading = None

    def _line_at(self, at: int) -> int:
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line


def sections_of_html(text: str) -> tuple[str, list[Section]]:
    """The page's title and its sections. Raises Unreadable."""
    page = HtmlText(text)
    return page.title, page.sections


def _stop() -> re.Pattern[str]:
    """What ends a tag, or a quoted value's beginning in one: quotes elsewhere are mere characters."""
    return re.compile(r">|=\s*[\"']")


def _plain(text: str) -> str:
    return re.sub(r"[ \t\r\n\f]+", " ", html.unescape(_HUGE.sub("\ufffd", text))) if text else ""


def _lines(held: list[tuple[str, int]], start: int) -> list[tuple[str, int]]:
    """The lines of the text with those of the page; blanks at line ends gone, at most one blank line in a row."""
    whole: list[tuple[str, int]] = []
    parts: list[str] = []
    number = 0  # of the page's line that the current one begins on, 0 as long as nothing is on it
    for text, at in [*held, ("\n", 0)]:
        first, *more = text.split("\n")
        parts.append(first)
        number = number or (at if first.strip() else 0)
        for piece in more:
            line = " ".join("".join(parts).split(" ")).strip()
            start = number or start
            if line or (whole and whole[-1][0]):
                whole.append((line, start))
            parts, number = [piece], at if piece.strip() else 0
    if whole and not whole[-1][0]:
        whole.pop()
    return whole
