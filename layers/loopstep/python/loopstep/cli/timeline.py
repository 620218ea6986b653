"""A run's timeline for a terminal: the tree of its activations, and why each choice went where it went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from loopstep.cli import table
from loopstep.cli.model_use import used
from loopstep.cli.run_tree import Activation, Folded, Group, fold, tree

_WORD = {"items": "item", "loop": "pass"}
_MARK = {True: "✓", False: "✗", None: "·"}

_REFERENCE = re.compile(r"[\w.\[\]]+")
_LONGEST = 240  # cells of a condition

# The cells of a row, with the indent of what is said below it; or no cells, an indent, and a line of its own.
Row = tuple[list[str], str, str]


def timeline(run: dict[str, Any], activations: list[Activation], every: bool = False) -> list[str]:
    """The lines. `every`: nothing is folded. No line is wider than the terminal unless a name is."""
    rows = list(_rows(run, tree(activations), "", every))
    if not rows:
        return ["  (no node has started)"]
    return _lines(rows, table.columns())


def progress(run: dict[str, Any], activations: list[Activation]) -> list[str]:
    """The same without the tree, for those that have just ended: one line each, its place in brackets."""
    return timeline(run, [{**each, "enclosing": None, "choice": None, "tries": []} for each in activations], every=True)


def _rows(run: dict[str, Any], group: Group, indent: str, every: bool) -> Iterator[Row]:
    children = list(group.children) if every else fold(group.children)
    for index, child in enumerate(children):
        last = index == len(children) - 1
        branch, onward = ("", "") if not group.key[0] else ("└ ", "  ") if last else ("├ ", "│ ")
        if isinstance(child, Folded):
            yield [], indent + branch, _folded(child)
        elif isinstance(child, Group):
            yield _group_cells(run, child, indent + branch), indent + onward, ""
            if child.head is not None:
                yield from (([], f"{indent}{onward}│ ", line) for line in why(child.head))
            yield from _rows(run, child, indent + onward, every)
        else:
            yield _cells(run, child, indent + branch), indent + onward, ""
            yield from (([], indent + onward, line) for line in [*why(child), *used(child)])


def _group_cells(run: dict[str, Any], group: Group, indent: str) -> list[str]:
    kind, node, part, index = group.key
    name = f"{node} {part}" if index is None else f"{node} {_WORD[kind]} {index}"
    left = _left(group.head) if group.head else ""
    return [
        _since(run, group.started),
        indent + name,
        table.coloured(group.status),
        table.span(table.seconds(group.started, group.ended)),
        left,
    ]


def _cells(run: dict[str, Any], activation: Activation, indent: str) -> list[str]:
    path = activation.get("path") or []
    inside = activation.get("enclosing") is not None
    place = "" if inside or not path else f"[{'.'.join(map(str, path))}]"
    return [
        _since(run, activation.get("startedAt")),
        indent + activation["nodeId"] + place,
        table.coloured(activation["status"]),
        table.span(table.seconds(activation.get("startedAt"), activation.get("endedAt"))),
        _left(activation),
    ]


def _left(activation: Activation) -> str:
    """Port and edge, how often it was tried, why it failed, until when it waits."""
    way = " → ".join(filter(None, [activation.get("port"), activation.get("edge")]))
    tries = activation.get("attempts") or 0
    error = activation.get("error") or {}
    until = activation.get("until") if activation["status"] == "waiting" else None
    notes = [f"{tries} attempts" if tries > 1 else "", str(error.get("code") or "")]
    notes.append(f"waiting until {table.moment(until)}" if until else "")
    return "  ".join(filter(None, [way, "; ".join(filter(None, notes))]))


def why(activation: Activation) -> list[str]:
    """Each condition of the port in the order in which it was tried, which one held, and what was read."""
    choice = activation.get("choice")
    if not choice:
        return []
    lines = []
    if asked := choice.get("while"):
        lines.append(f"{_MARK[asked['holds']]} while {_condition(asked['text'])}")
    for tried in choice["edges"]:
        taken = tried["edge"] == activation.get("edge")
        mark = "✓" if taken else _MARK[tried["holds"]]
        text = "otherwise" if tried["when"] is None else f"when {_condition(tried['when'])}"
        lines.append(f"{mark} {tried['edge']}: {text}")
    asked_whole = {_bare(tried["when"] or "") for tried in choice["edges"]}
    read = [_operand(each) for each in choice["operands"] if _bare(each["text"]) not in asked_whole]
    return [*lines, f"  where {', '.join(read)}"] if read else lines


def _condition(text: str) -> str:
    return table.cut(table.plain(text), _LONGEST)


def _operand(operand: dict[str, Any]) -> str:
    """`input.n = 3`; of a larger expression: `length(input.name) > 3 is true`."""
    word = "=" if _REFERENCE.fullmatch(operand["text"]) else "is"
    return f"{_condition(operand['text'])} {word} {table.short(operand['value'], 60)}"


def _bare(text: str) -> str:
    """An expression whatever its spelling: an operand that is a whole condition has its answer before it already."""
    return re.sub(r"[\s()]", "", text).replace('"', "'")


def _folded(folded: Folded) -> str:
    kind, node, _, first = folded.groups[0].key
    count = len(folded.groups)
    last = folded.groups[-1].key[3]
    word = {"items": "items", "loop": "passes"}[kind] if count > 1 else _WORD[kind]
    which = f"{first} to {last}" if count > 1 else str(first)
    return f"… {count} more {word} of {node} ({which}), all completed; --all shows them"


def _since(run: dict[str, Any], at: str | None) -> str:
    begin = table.seconds(run.get("startedAt"), at)
    return f"+{begin:.3f} s" if begin is not None else ""


def _lines(rows: list[Row], columns: int | None) -> list[str]:
    """Aligned; where a row is too wide, its last cell goes below it."""
    cells = [row for row, _, _ in rows if row]
    widths = [max(table.width(row[index]) for row in cells) for index in range(4)]
    if columns is not None:
        widths[1] = min(widths[1], max(12, columns - 2 - widths[0] - widths[2] - widths[3] - 6))
    margin = " " * (2 + widths[0] + 2)
    lines: list[str] = []
    for row, indent, text in rows:
        if not row:
            lines += table.folded(text, columns or _LONGEST + 60, margin + indent)
            continue
        name = table.cut(row[1], widths[1])
        padded = [table.padded(cell, size) for cell, size in zip([row[0], name, *row[2:4]], widths, strict=True)]
        head = "  " + "  ".join(padded)
        whole = f"{head}  {row[4]}".rstrip()
        if columns is None or table.width(whole) <= columns or not row[4]:
            lines.append(whole)
        else:
            lines += [head.rstrip(), *table.folded(row[4], columns, f"{margin}{indent}  ")]
    return lines
