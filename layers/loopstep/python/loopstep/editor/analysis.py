"""A document as the editor's questions need it, worked out once for a text, however often they are asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Final

from loopstep.canvas.lower import import_canvas
from loopstep.compiler.compile import compile
from loopstep.compiler.look import Steps, View, look
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.editor.cursor import Cursor, find, lines_of
from loopstep.editor.names import Occurrence, occurrences
from loopstep.editor.repair import Loaded, load_anyway
from loopstep.source.document import Mapping, Sequence, Value

_OF_PLANS: Final = {"apiVersion", "kind", "graph"}
KEPT: Final = 8  # texts of one document whose analysis is kept


class Analysis:
    """One text. `line` is where somebody is writing, if anywhere."""

    def __init__(self, text: str, line: int | None = None, before: Callable[[], View | None] = lambda: None) -> None:
        self.text = text.removeprefix("\ufeff")
        self.line = line
        self.before = before  # the plan of the last text that could be read, for what this one does not tell

    @cached_property
    def lines(self) -> list[str]:
        return lines_of(self.text)

    @cached_property
    def loaded(self) -> Loaded:
        return load_anyway(self.text, self.line)

    @cached_property
    def own_view(self) -> View | None:
        return look(self.loaded.root)

    @property
    def view(self) -> View | None:
        """The plan; that of the last text which had one, where this cannot be read at all."""
        return self.own_view if self.own_view is not None else self.before()

    @property
    def root(self) -> Value | None:
        """The tree that `view` was made from."""
        view = self.view
        return view.plan.at if view is not None else self.loaded.root

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the compiler says about the text as it is; of a canvas what lowering it says."""
        return import_canvas(self.text).diagnostics if self.is_canvas else compile(self.text).diagnostics

    @cached_property
    def is_canvas(self) -> bool:
        """Whether it is a canvas document, by the parser's own rule."""
        root = self.loaded.root if self.text.lstrip()[:1] == "{" else None
        return isinstance(root, Mapping) and "nodes" in root.entries and not _OF_PLANS & root.entries.keys()

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Where the names of the plan are written."""
        return () if self.view is None else occurrences(self.view)


class Document:
    """A document that is being edited: its present text, and analyses of it and of the texts before."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._kept: OrderedDict[str, Analysis] = OrderedDict()
        self._readable: Analysis | None = None

    @property
    def analysis(self) -> Analysis:
        """Of the text as it is."""
        return self._of(self.text, None)

    def completing(self, line: int, column: int) -> tuple[Analysis, Cursor]:
        """What a completion at a place needs: the text without the word that is written there, and the place.

        That text stays the same while the word grows, so it is worked out once for a word.
        """
        lines = lines_of(self.text.removeprefix("\ufeff"))
        cursor = find(lines, line, column)
        row = lines[cursor.line - 1]
        without = row[: cursor.start - 1] + row[max(cursor.end - 1, cursor.start - 1) :]
        blank = "\n".join([*lines[: cursor.line - 1], without, *lines[cursor.line :]])
        return self._of(blank, cursor.line), cursor

    def settle(self) -> None:
        """Works out, while nobody asks, what the next questions will need."""
        if self.analysis.own_view is not None:
            self._readable = self.analysis

    def _of(self, text: str, line: int | None) -> Analysis:
        found = self._kept.get(text)
        if found is None:
            found = self._kept[text] = Analysis(text, line, self._last_view)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(text)
        return found

    def _last_view(self) -> View | None:
        """Of the newest text that was looked at and could be read."""
        for found in reversed(self._kept.values()):
            if found.__dict__.get("own_view") is not None:
                return found.own_view
        return self._readable.own_view if self._readable is not None else None


def value_at(root: Value | None, steps: Steps) -> Value | None:
    """The value at a place below `root`; None where there is none."""
    value = root
    for step in steps:
        if isinstance(value, Mapping) and isinstance(step, str):
            value = value.entries.get(step)
        elif isinstance(value, Sequence) and isinstance(step, int) and step < len(value.items):
            value = value.items[step]
        else:
            return None
    return value


def steps_of(value: Value) -> Steps:
    """The place of a value, from the root."""
    steps: list[str | int] = []
    while value.parent is not None:
        assert value.key is not None
        steps.append(value.key)
        value = value.parent
    return tuple(reversed(steps))
