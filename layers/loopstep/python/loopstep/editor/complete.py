"""What may stand at the cursor: names of fields, references by scope with their types, ids, ports, types, values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from loopstep.compiler import grammar
from loopstep.compiler.grammar import LIST
from loopstep.compiler.look import Symbol, scope_at, symbols, target_at, targets_at
from loopstep.editor.analysis import Document, value_at
from loopstep.editor.cursor import KEY
from loopstep.editor.items import FIELD, FUNCTION, REFERENCE, SNIPPET, Item, nearness, told_type
from loopstep.editor.shapes import Entry, entries, node_type_at, shape_at
from loopstep.editor.texts import block_text, flow_text
from loopstep.editor.words import DURATIONS, Words
from loopstep.expressions.functions import FUNCTIONS
from loopstep.nodes.catalog import CATALOG
from loopstep.schema.skeletons import config_skeleton, edge_skeleton, node_skeleton, plan_skeleton
from loopstep.source.document import Mapping, Scalar
from loopstep.types.assignable import assignable
from loopstep.types.schema import Schema, describe

_WORD: Final = re.compile(r"[\w.\[\]]*$")
_OPEN: Final = re.compile(r"(?<!\\)\{\{|\}\}")
_SUBJECTS: Final = (grammar.REFERENCE, grammar.EXPRESSION, grammar.CONDITION)


def complete(document: Document, line: int, column: int) -> list[Item]:
    """Everything that may stand at a 1-based place; the editor filters by what is written."""
    analysis, cursor = document.completing(line, column)
    view = analysis.view
    shape = shape_at(cursor.steps)
    completer = _Completer(view, analysis.root, cursor, shape, analysis.text.lstrip()[:1] == "{")
    return list(completer.items())


class _Completer(Words):
    """Dispatches on what the language has at the place."""

    def items(self) -> Iterator[Item]:
        cursor, holds = self.cursor, self.shape.holds
        if cursor.slot == KEY and not cursor.item and not holds.startswith(LIST) and self.is_mapping(holds):
            yield from self.names()
        elif holds in _SUBJECTS or holds == grammar.TEMPLATE:
            yield from self.expression()
        elif cursor.slot == KEY and cursor.item and self.is_mapping(holds):
            yield from self.whole_items()
            yield from self.names()
        elif holds.startswith(LIST):
            yield from self.list_items()
        elif holds == "value":
            yield from self.values()
        elif self.view is not None and holds == grammar.LITERAL:
            yield from self.literals()
        else:
            yield from self.words()

    @staticmethod
    def is_mapping(holds: str) -> bool:
        return holds in grammar.MAPPINGS or holds in ("config", grammar.FIELDS, grammar.VALUES)

    # -- names of fields -----------------------------------------------------------------------------------------------

    def names(self) -> Iterator[Item]:
        cursor, shape = self.cursor, self.shape
        standing = value_at(self.root, cursor.steps)
        present = set(standing.entries) if isinstance(standing, Mapping) else set()
        if not cursor.steps and not present & {"apiVersion", "graph"}:
            yield self.snippet("plan", "A plan with one step", plan_skeleton(), 0)
        if shape.holds == grammar.VALUES:
            yield from self.targets(present)
            return
        for each in entries(shape, node_type_at(self.view, cursor.steps)):
            if each.name not in present:
                yield self.named(each.name, self.told(each), each.summary, self.body(each), 1 if each.required else 4)

    def told(self, each: Entry) -> str:
        holds = each.shape.holds
        kind = "map" if holds in grammar.MAPPINGS or holds in ("config", grammar.FIELDS, grammar.VALUES) else holds
        if holds.startswith(LIST):
            kind = "list"
        return f"{kind}, required" if each.required else kind

    def targets(self, present: set[str]) -> Iterator[Item]:
        """The fields that bindings may bind, by the contract of their target."""
        fields = targets_at(self.view, self.cursor.steps) if self.view is not None else None
        for name, schema in (fields or {}).items():
            if name not in present:
                needed = schema.demanded
                detail = f"{describe(schema)}, {'required' if needed else 'optional'}"
                yield self.named(name, detail, schema.description, " {ref: $1}", 1 if needed else 4)

    def named(self, name: str, detail: str, summary: str, body: str, order: int) -> Item:
        """A name with its colon, and what comes behind it."""
        cursor = self.cursor
        if cursor.quote or self.json:
            label = name if cursor.quote else f'"{name}"'
            behind = "" if cursor.quote else ": "
            return Item(name, FIELD, detail, label + behind, cursor.start, cursor.end, summary, order=order)
        return Item(name, FIELD, detail, f"{name}:{body}", cursor.start, cursor.end, summary, True, order)

    def body(self, each: Entry) -> str:
        """What comes behind the colon of a new name."""
        holds, flow = each.shape.holds, self.cursor.flow
        if holds == "config" and each.shape.node_type is not None:
            body = config_skeleton(each.shape.node_type)
            return " " + flow_text(body) if flow or not body else block_text(body, self.cursor.column + 1)
        if holds == grammar.CONSTANT and each.shape.part is not None:
            return f" {each.shape.part.choices[0]}"
        if holds in ("source", "target"):
            return " {nodeId: $1, port: ${2:" + ("completed" if holds == "source" else "in") + "}}"
        if holds in ("value", "convert", "retry") or (flow and self.is_mapping(holds)):
            return " {$1}"
        if holds.startswith(LIST):
            return " [$1]" if flow else "\n" + " " * (self.cursor.column + 1) + "- $1"
        if self.is_mapping(holds):
            return "\n" + " " * (self.cursor.column + 1) + "$1"
        return " "

    def snippet(self, label: str, detail: str, body: Any, order: int = 6, deeper: int = 0) -> Item:
        """A whole piece, in the style of what stands around it."""
        cursor = self.cursor
        if self.json:
            text = json.dumps(body, ensure_ascii=False)
        elif cursor.flow:
            text = flow_text(body)
        else:
            text = block_text(body, cursor.column - 1 + deeper).lstrip("\n ")
        return Item(label, SNIPPET, detail, text, cursor.start, cursor.end, "", True, order)

    # -- lists ---------------------------------------------------------------------------------------------------------

    def list_items(self) -> Iterator[Item]:
        """At a list itself: an item with its dash, or inside brackets a word."""
        inner = self.shape.holds.removeprefix(LIST)
        if self.cursor.flow or inner not in grammar.MAPPINGS:
            self.shape = self.shape._replace(holds=inner)
            yield from self.whole_items() if inner in grammar.MAPPINGS else self.words()
            return
        for each in self.pieces(inner, 2):
            yield each._replace(insert="- " + each.insert)

    def whole_items(self) -> Iterator[Item]:
        yield from self.pieces(self.shape.holds)

    def pieces(self, holds: str, deeper: int = 0) -> Iterator[Item]:
        if holds == "node":
            for node_type in CATALOG.values():
                yield self.snippet(node_type.name, node_type.summary, node_skeleton(node_type), deeper=deeper)
        elif holds == "edge":
            yield self.snippet("edge", "An edge", edge_skeleton(), deeper=deeper)

    # -- expressions ---------------------------------------------------------------------------------------------------

    def expression(self) -> Iterator[Item]:
        written = self.cursor.written
        template = self.shape.holds == grammar.TEMPLATE
        if template:
            marks = list(_OPEN.finditer(written))
            if not marks or marks[-1][0] != "{{":
                return
            written = written[marks[-1].end() :]
        if _in_quotes(written):
            return
        word = _WORD.search(written)
        length = len(word[0]) if word is not None else 0
        line_column = self.cursor.start + len(self.cursor.written.rpartition("\n")[2])
        if self.cursor.text:
            line_column = self.cursor.start
        start = line_column - length
        end = line_column if template or self.shape.holds != grammar.REFERENCE else max(self.cursor.end, line_column)
        bare = self.shape.holds == grammar.REFERENCE
        yield from self.references(start, end, bare)
        if not bare:
            for function in FUNCTIONS.values():
                insert = function.name + "(" + ", ".join(f"${n}" for n in range(1, function.arity + 1)) + ")"
                told = grammar.FUNCTIONS[function.name]
                detail = f"{function.usage}: {function.result}"
                yield Item(function.name, FUNCTION, detail, insert, start, end, told, True, 7)

    def references(self, start: int, end: int, bare: bool) -> Iterator[Item]:
        for symbol in self.symbols():
            detail = told_type(symbol)
            order = self.rank(symbol) if bare else nearness(symbol)
            yield Item(symbol.text, REFERENCE, detail, symbol.text, start, end, self.origin(symbol), order=order)

    def symbols(self) -> list[Symbol]:
        scope = scope_at(self.view, self.cursor.steps) if self.view is not None else None
        return symbols(scope) if scope is not None else []

    def origin(self, symbol: Symbol) -> str:
        said = symbol.schema.description if symbol.schema is not None else ""
        return said or grammar.ROOTS[str(symbol.path[0])]

    def rank(self, symbol: Symbol) -> int:
        """What may go to the target comes first."""
        target = target_at(self.view, self.cursor.steps) if self.view is not None else None
        if target is None or symbol.schema is None:
            return 5
        if assignable(symbol.schema, target) is not None:
            return 8
        forms = grammar.MAPPINGS["value"].names
        bound = next((step for step in reversed(self.cursor.steps) if step not in forms), "")
        return 2 if symbol.path[-1] == bound else 3 if symbol.present else 4

    # -- values --------------------------------------------------------------------------------------------------------

    def values(self) -> Iterator[Item]:
        """A whole ValueExpr: references that fit, then the three forms."""
        if self.cursor.flow and self.cursor.slot == KEY:
            return
        for symbol in self.symbols():
            rank = self.rank(symbol)
            if rank < 5:
                text = f'{{"ref": "{symbol.text}"}}' if self.json else f"{{ref: {symbol.text}}}"
                yield Item(
                    text, REFERENCE, told_type(symbol), text, self.cursor.start, self.cursor.end,
                    self.origin(symbol), order=rank,
                )  # fmt: skip
        for name in ("ref", "value", "expr"):
            text = f'{{"{name}": $1}}' if self.json else f"{{{name}: $1}}"
            summary = grammar.MAPPINGS["value"].by_name[name].summary
            yield Item(f"{{{name}: …}}", SNIPPET, summary, text, self.cursor.start, self.cursor.end, "", True, 6)

    def literals(self) -> Iterator[Item]:
        """A literal: what its target (or the Schema it stands in) may hold."""
        assert self.view is not None
        target = target_at(self.view, self.cursor.steps)
        if target is None:
            target = self.declared()
        if target is None:
            return
        for member in target.enum or ():
            yield self.literal(member, f"of {describe(target)}")
        if target.type == "boolean":
            yield self.literal(True, "boolean")
            yield self.literal(False, "boolean")
        if target.type == "duration":
            yield from (self.item(text, "value", "duration") for text in DURATIONS)

    def declared(self) -> Schema | None:
        """Of a `default`: the type and the members that the Schema around it declares."""
        around = value_at(self.root, self.cursor.steps[:-1])
        if self.cursor.steps[-1:] != ("default",) or not isinstance(around, Mapping):
            return None
        kind, enum = around.entries.get("type"), around.entries.get("enum")
        if not isinstance(kind, Scalar) or not isinstance(kind.value, str):
            return None
        members = tuple(one.value for one in getattr(enum, "items", ()) if isinstance(one, Scalar)) or None
        return Schema(kind.value, enum=members)


def _in_quotes(written: str) -> bool:
    """Whether an expression's text is open behind what is written."""
    quote = ""
    for character in written:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return bool(quote)
