"""What a place of a document may read, as data: for any editor, and for `loopstep symbols`."""

from __future__ import annotations

from typing import Any

from loopstep.compiler.look import scope_at, symbols, target_at
from loopstep.editor.analysis import Document
from loopstep.types.schema import describe


def symbols_at(text: str, line: int, column: int) -> dict[str, Any] | None:
    """`{path, target, symbols: [{ref, type, present, secret, description}]}` of a 1-based place; None without a plan.

    `path` is the JSON pointer of the place, `target` the type of what it is for (null where nothing says). The list is
    empty where the language has no references, and holds what the compiler lets that place read, nothing else.
    """
    analysis, cursor = Document(text).completing(line, column)
    if analysis.view is None:
        return None
    scope = scope_at(analysis.view, cursor.steps)
    target = target_at(analysis.view, cursor.steps)
    return {
        "path": "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in cursor.steps),
        "target": describe(target) if target is not None else None,
        "symbols": [
            {
                "ref": symbol.text,
                "type": describe(symbol.schema) if symbol.schema is not None else None,
                "present": symbol.present,
                "secret": symbol.secret,
                "description": symbol.schema.description if symbol.schema is not None else "",
            }
            for symbol in (symbols(scope) if scope is not None else ())
        ],
    }
