"""From bytes to a document, or to the faults that keep it from being one (LANGUAGE §2).

Each reader is imported by the first document that needs it: PyYAML takes longer to load than most plans to read.
"""

from __future__ import annotations

from loopstep.source.document import START, Fault, Text, Value
from loopstep.source.faults import EMPTY
from loopstep.source.limits import DOCUMENT_BYTES

SYNTAX = "document.syntax"


def load(data: bytes | str) -> tuple[Value | None, list[Fault]]:
    """The root of a YAML 1.2 or JSON document and what is wrong with its form, in document order. Never raises.

    The root is None where the text is no single tree: after document.syntax, document.too_large and limit.depth. Of
    those at most one is reported, since what follows it cannot be trusted. Duplicate keys are all reported, the first
    value of each stands, and the tree is returned.
    """
    content, fault = _decode(data)
    if fault is not None:
        return None, [fault]
    text = Text(content)
    if not content.strip(" \t\r\n"):
        return None, [EMPTY]
    if content.lstrip(" \t\r\n")[0] not in "{[":
        return _yaml(text)
    return _json_or_yaml(text)


def _yaml(text: Text) -> tuple[Value | None, list[Fault]]:
    from loopstep.source.from_yaml import read_yaml

    return read_yaml(text)


def _json_or_yaml(text: Text) -> tuple[Value | None, list[Fault]]:
    """JSON where it is JSON, else YAML's flow style; of two faults the one that stands later in the text."""
    from loopstep.source.from_json import Unreadable, read_json

    try:
        return read_json(text)
    except Unreadable as reason:
        if reason.final:
            return None, [reason.fault]
        unreadable = reason.fault
    root, faults = _yaml(text)
    if root is None and faults and unreadable.span[:2] >= faults[-1].span[:2] and faults[-1].code == SYNTAX:
        return None, [unreadable]
    return root, faults


def _decode(data: bytes | str) -> tuple[str, Fault | None]:
    """The text without its byte order mark, measured as UTF-8."""
    try:
        encoded = data.encode("utf-8") if isinstance(data, str) else bytes(data)
        if len(encoded) > DOCUMENT_BYTES:
            message = f"the document has more than {DOCUMENT_BYTES:,} bytes"
            return "", Fault("document.too_large", message, START, hint="split the plan, or move long texts to files")
        content = encoded.decode("utf-8") if not isinstance(data, str) else data
    except UnicodeEncodeError as error:
        span = Text(str(data)).span(error.start, error.start + 1)
        return "", Fault(SYNTAX, "the text holds half of a surrogate pair, which is no character", span)
    except UnicodeDecodeError as error:
        before = Text(bytes(data[: error.start]).decode("utf-8", "replace"))  # type: ignore[arg-type]
        place = before.span(len(before.content), len(before.content))
        return "", Fault(SYNTAX, "the document is not UTF-8", place, hint="save the file as UTF-8")
    return content.removeprefix("\ufeff"), None
