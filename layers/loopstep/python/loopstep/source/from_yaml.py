"""YAML 1.2 documents by way of libyaml's events (LANGUAGE §2).

libyaml reads YAML 1.1. What 1.2 changed is settled here: scalars follow the core schema (`scalars`), and the line
breaks that 1.1 had beside LF and CR (NEL, LS, PS) are ordinary characters.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

from yaml import YAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from loopstep.source.complaints import NO_TABS, TAB, library_fault
from loopstep.source.document import Fault, Mapping, Scalar, Sequence, Text, Value, entry_pointer
from loopstep.source.faults import EMPTY, Faults, syntax, too_deep
from loopstep.source.limits import NESTING
from loopstep.source.scalars import plain_scalar

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_OLD_BREAKS: Final = "\x85\u2028\u2029\ufeff"  # 1.1 breaks lines at three of them and refuses the fourth
_STAND_INS: Final = range(0xE000, 0xF900)  # private use


class _Stop(Exception):
    """The text is no single tree of plain values; nothing behind the fault is read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def read_yaml(text: Text) -> tuple[Value | None, list[Fault]]:
    """The root and the duplicate keys; or None and also the one fault that ends the reading, as the last."""
    control = _CONTROL.search(text.content)
    if control:
        message = f"the control character U+{ord(control[0]):04X} may not stand in a document"
        hint = 'write it as an escape in double quotes, such as "\\x07"' if control[0] != "\x00" else ""
        return None, [syntax(text, control.start(), control.end(), message, hint)]
    reader = _Reader(text)
    try:
        return reader.read(), reader.faults
    except _Stop as stop:
        return None, [*reader.faults, stop.fault]
    except YAMLError as error:
        return None, [*reader.faults, library_fault(text, error)]


class _Reader:
    """Builds the tree of one text. Containers that are open stand on `stack`, innermost last."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.faults = Faults()
        self.stand_ins: dict[int, str] = {}
        self.texts: list[tuple[int, int]] | None = [] if "\t" in text.content else None  # where quoted texts stand

    def read(self) -> Value:
        parser = CParser(self._without_old_breaks())
        root: Value | None = None
        while True:
            event = parser.get_event()
            kind = type(event)
            if kind is StreamEndEvent:
                break
            if kind is DocumentStartEvent:
                self._check_document_start(event, root)
            elif kind is AliasEvent or kind is ScalarEvent or kind is MappingStartEvent or kind is SequenceStartEvent:
                root = self._tree(parser, event)
        if root is None or (isinstance(root, Scalar) and root.start == root.end):
            raise _Stop(EMPTY)
        if self.texts is not None:
            self._check_tabs(self.texts)
        return root

    def _tree(self, parser: Any, event: Any) -> Value:
        """The value that begins with `event`. One loop over events: this is where a compile spends its reading time."""
        text, quoted, translated = self.text, self.texts, bool(self.stand_ins)
        stack: list[Mapping | Sequence] = []
        holder: Mapping | Sequence | None = None  # the innermost open container
        name: str | None = None  # of the entry whose value comes next, where the holder is a mapping
        offsets: tuple[int, int] = (0, 0)  # where that name is written
        while True:
            kind = type(event)
            value: Any = None
            if kind is ScalarEvent:
                content, start, end = event.value, event.start_mark.index, event.end_mark.index
                if event.anchor is not None or event.tag is not None:
                    raise self._decorated(event)
                if translated:
                    content = content.translate(self.stand_ins)
                plain = event.implicit[0]
                if quoted is not None and not plain:
                    quoted.append((start, end))
                if name is None and type(holder) is Mapping:
                    if plain and (content == "<<" or start == end):
                        raise self._bad_name(content, start, end)
                    name, offsets = content, (start, end)
                    event = parser.get_event()
                    continue
                value = Scalar(text, start, end, plain_scalar(content) if plain else content, not plain, holder, name)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                if event.anchor is not None or event.tag is not None:
                    raise self._decorated(event)
                start, end = event.start_mark.index, event.end_mark.index
                if name is None and type(holder) is Mapping:
                    raise self._complex_name(start, end)
                if len(stack) >= NESTING:
                    raise self._tootoo_deep(holder, name, start, end)
                value = (Mapping if kind is MappingStartEvent else Sequence)(text, start, end, holder, name)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                assert holder is not None
                stack.pop()
                self._close(holder, event)
                if not stack:
                    return holder
                holder = stack[-1]
                event = parser.get_event()
                continue
            else:
                raise self._alias(event)
            if type(holder) is Mapping:
                assert name is not None
                if name in holder.entries:
                    self.faults.duplicate(holder, name, offsets)
                else:
                    holder.entries[name] = value
                    holder.key_offsets[name] = offsets
                name = None
            elif type(holder) is Sequence:
                value.key = len(holder.items)
                holder.items.append(value)
            if kind is not ScalarEvent:
                stack.append(value)
                holder = value
            elif holder is None:
                return cast(Value, value)
            event = parser.get_event()

    def _without_old_breaks(self) -> str:
        """The text with a private character for each that libyaml would take for a line break of YAML 1.1."""
        content = self.text.content
        found = [mark for mark in _OLD_BREAKS if mark in content]
        if not found:
            return content
        unused = (code for code in _STAND_INS if chr(code) not in content)
        outward = {ord(mark): code for mark, code in zip(found, unused, strict=False)}
        self.stand_ins = {code: chr(mark) for mark, code in outward.items()}
        return content.translate(outward)

    def _close(self, value: Mapping | Sequence, event: Any) -> None:
        """Sets where a container ends: at its bracket, or with the last value of a block."""
        if event.end_mark.index > event.start_mark.index:
            value.end = event.end_mark.index
        elif isinstance(value, Sequence):
            value.end = max(value.end, value.items[-1].end) if value.items else value.end
        else:
            last = next(reversed(value.entries), None)
            if last is not None:
                value.end = max(value.entries[last].end, value.key_offsets[last][1])

    def _check_document_start(self, event: Any, root: Value | None) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if root is not None:
            raise self._stop(start, end, "a second document begins here; a file holds one plan", "")
        if event.tags:
            raise self._stop(start, end, "%TAG directives are not part of the plan language", "")

    def _check_tabs(self, texts: list[tuple[int, int]]) -> None:
        """A tab may stand inside a quoted or block text and in a comment, nowhere else."""
        content = self.text.content
        before, at = 0, content.find("\t")
        for start, end in [*texts, (len(content), len(content))]:
            while 0 <= at < start:
                line = content.rfind("\n", 0, at) + 1
                if not re.search(r"(?:^|[ \t])#", content[max(before, line) : at]):
                    raise self._stop(at, at + 1, TAB, NO_TABS)
                line_end = content.find("\n", at)
                at = content.find("\t", line_end) if line_end >= 0 else -1
            before = end
            if 0 <= at < end:
                at = content.find("\t", end)

    def _decorated(self, event: Any) -> _Stop:
        what, hint = "anchors (&) are", "write the value out in each place"
        if event.anchor is None:
            what, hint = "tags (!) are", "put a text that begins with ! in quotes"
        start = event.start_mark.index
        word = re.match(r"\S+", self.text.content[start : start + 200])
        return self._stop(start, start + (word.end() if word else 1), f"{what} not part of the plan language", hint)

    def _alias(self, event: Any) -> _Stop:
        hint = "write the value out in each place; put a text that begins with * in quotes"
        return self._stop(
            event.start_mark.index, event.end_mark.index, "aliases (*) are not part of the plan language", hint
        )

    def _bad_name(self, content: str, start: int, end: int) -> _Stop:
        if content == "<<":
            return self._stop(start, end, "merge keys (<<) are not part of the plan language", "write the entries out")
        return self._stop(start, end, "a name is missing before the colon", "")

    def _complex_name(self, start: int, end: int) -> _Stop:
        template = self.text.content.startswith("{{", start - 1)
        hint = 'put a text that begins with {{ in quotes: "{{ … }}"' if template else ""
        return self._stop(start, end, "a mapping or list cannot be a name", hint)

    def _tootoo_deep(self, holder: Mapping | Sequence | None, name: str | None, start: int, end: int) -> _Stop:
        return _Stop(too_deep(self.text, start, end, entry_pointer(holder, name)))

    def _stop(self, start: int, end: int, message: str, hint: str) -> _Stop:
        return _Stop(syntax(self.text, start, end, message, hint))
