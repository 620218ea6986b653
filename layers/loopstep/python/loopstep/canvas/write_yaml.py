"""A plan document as YAML for people: short maps on one line, long ones in blocks, texts of several lines as such.

What it writes, `source.load` reads back as the same data. Only plain data comes in: maps, lists, scalars.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from loopstep.source.limits import DOCUMENT_BYTES

WIDTH, DENSE = 118, 1000
LARGE = DOCUMENT_BYTES // 4  # characters that surely fit into a document, whatever they are
_BLOCKS = frozenset(("input", "output", "state", "graph", "nodes", "edges"))  # of the document and its graph

_PLAIN = re.compile(r"[^\W\d][\w./-]*(?: [\w./-]+)*")
_NO_TEXT = re.compile(r"(?:null|true|false|yes|no|on|off|y|n)", re.IGNORECASE)
_SPECIAL = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]")


def document_text(document: dict[str, Any]) -> str:
    """The whole document; ends with a line feed. One that would be too large for a document is written densely."""
    for dense in (False, True):
        lines: list[str] = []
        for key, value in document.items():
            lines += _entry(key, value, 0, dense, key in _BLOCKS)
        text = "\n".join(lines) + "\n"
        if len(text) <= LARGE or len(text.encode()) <= DOCUMENT_BYTES:
            break
    return text


def _entry(key: str, value: Any, indent: int, dense: bool, block: bool = False) -> Iterator[str]:
    """A name and its value; `block`: one line each, however short; `dense`: long maps of short values in few lines."""
    name = _scalar(key)
    lead = " " * indent + name + ":"
    if isinstance(value, str) and (lines := _text_block(value, indent + 2)) is not None:
        yield f"{lead} {lines[0]}"
        yield from lines[1:]
        return
    short = None if block and value and isinstance(value, (dict, list)) else _flow(value, WIDTH - len(lead) - 1)
    if short is not None:
        yield f"{lead} {short}"
        return
    if dense and indent and isinstance(value, dict) and (packed := _packed(value, indent + 2)):
        yield f"{lead} {{"
        yield from packed
        return
    yield lead
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from _entry(inner, item, indent + 2, dense, key == "graph" and inner in _BLOCKS)
    else:
        for item in value:
            yield from _item(item, indent + 2, dense)


def _packed(value: dict[str, Any], indent: int) -> list[str]:
    """The entries of a map as full lines of flow style, the last with its closing brace; none where one is too long."""
    entries = [_flow({key: item}, DENSE) for key, item in value.items()]
    lines = [" " * indent]
    for entry in entries:
        if entry is None:
            return []
        if len(lines[-1]) + len(entry) > DENSE:
            lines.append(" " * indent)
        lines[-1] += f"{entry[1:-1]}, "
    lines[-1] = lines[-1][:-2] + "}"
    return [line.rstrip() for line in lines]


def _item(value: Any, indent: int, dense: bool) -> Iterator[str]:
    """An item of a list."""
    short = _flow(value, WIDTH - indent - 2)
    lead = " " * indent + "- "
    if short is not None:
        yield lead + short
        return
    if isinstance(value, dict):
        lines = (line for key, item in value.items() for line in _entry(key, item, indent + 2, dense))
    elif isinstance(value, list):
        lines = (line for item in value for line in _item(item, indent + 2, dense))
    else:
        yield lead + _scalar(value)
        return
    yield lead + next(lines)[indent + 2 :]
    yield from lines


def _flow(value: Any, room: int) -> str | None:
    """The value on one line, where it fits and holds no text of several lines; a scalar always does."""
    if not isinstance(value, (dict, list)):
        return _scalar(value)
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    text = _flow_text(value, room)
    return text if text is not None and len(text) <= room else None


def _flow_text(value: Any, room: int) -> str | None:
    parts = []
    for item in value.items() if isinstance(value, dict) else value:
        key, inner = item if isinstance(value, dict) else ("", item)
        if isinstance(inner, (dict, list)):
            text = _flow_text(inner, room)
        else:
            text = None if isinstance(inner, str) and "\n" in inner else _scalar(inner)
        if text is None:
            return None
        parts.append(f"{_scalar(key)}: {text}" if isinstance(value, dict) else text)
        room -= len(parts[-1]) + 2
        if room < 0:
            return None
    return ("{%s}" if isinstance(value, dict) else "[%s]") % ", ".join(parts)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float):
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(repr(value), repr(value))
    return str(value)


@lru_cache(maxsize=8192)
def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and not _NO_TEXT.fullmatch(value):
        return value
    return _SPECIAL.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _text_block(text: str, indent: int) -> list[str] | None:
    """A text of several lines as a literal block: its head, then its lines. None where only quotes can say it."""
    if "\n" not in text or text[0] in " \n" or _SPECIAL.search(text.replace("\n", "")):
        return None
    body = text.rstrip("\n")
    lines = body.split("\n")
    if any(line and not line.strip() for line in lines):
        return None
    ending = len(text) - len(body)
    head = "|" if ending == 1 else "|-" if not ending else "|+"
    return [head, *(" " * indent + line if line else "" for line in lines), *[""] * max(ending - 1, 0)]
