"""Ways out of a diagnostic, as edits of the document: what its hint says, done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from loopstep.compiler.bindings import passed, payload
from loopstep.compiler.look import Steps, View, scope_at, symbols, target_at, targets_at
from loopstep.compiler.model import Node
from loopstep.diagnostics.diagnostic import Diagnostic
from loopstep.editor.analysis import Analysis, value_at
from loopstep.editor.edits import JSON_STARTS, Edit, Fix, added, numbered, steps_to, without_places
from loopstep.editor.items import nearness
from loopstep.editor.shapes import Entry, entries, node_type_at, shape_at
from loopstep.editor.texts import flow_text, literal_text, quoted
from loopstep.schema.skeletons import config_skeleton, field_skeleton
from loopstep.source.document import Mapping, Sequence, Span, Value
from loopstep.types.assignable import assignable
from loopstep.types.schema import Schema

MEANT: Final = re.compile(r"did you mean (?:`([^`]+)`|\"([^\"]+)\"|([^\s?]+))(?: instead of `([^`]+)`)?\?", re.I)
_WRITE: Final = re.compile(r"write `([^`…]+)`")
_OPERATOR: Final = re.compile(r"write (&&|\|\||==|!=|<=|>=|<|>|!)")
_CONVERT: Final = re.compile(r"`convert: (\{to: \w+\})`")
_NEEDED: Final = re.compile(r"needs the field `([^`]+)`")
_BOUND: Final = re.compile(r"^`([^`]+)` \(")
MOST: Final = 3  # references that a missing binding is offered

_ZEROS: Final[dict[str, Any]] = {
    "string": "", "number": 0, "integer": 0, "boolean": False, "array": [], "object": {}, "duration": "PT0S",
}  # fmt: skip


def fixes(analysis: Analysis, fault: Diagnostic) -> list[Fix]:
    """What can be done about a diagnostic of the analysed text."""
    root = analysis.loaded.root
    if root is None or not analysis.loaded.whole:
        return []
    fixer = _Fixer(analysis, root, fault)
    return list(dict.fromkeys(fixer.all()))


class _Fixer:
    def __init__(self, analysis: Analysis, root: Value, fault: Diagnostic) -> None:
        self.analysis = analysis
        self.view: View | None = analysis.own_view
        self.root = root
        self.fault = fault
        self.span = Span(fault.line, fault.column, fault.end_line, fault.end_column)
        self.steps = steps_to(root, fault.path)
        self.json = analysis.text.lstrip()[:1] == "{"

    def all(self) -> Iterator[Fix]:
        yield from self.meant()
        more: Callable[[], Iterator[Fix]] | None = {
            "document.missing_field": self.missing_field,
            "document.version": self.written,
            "document.invalid_value": self.written,
            "value.exclusive": self.exclusive,
            "expr.syntax": self.operator,
            "binding.required_target": self.missing_binding,
            "binding.optional_source": self.default_of_value,
            "binding.type_mismatch": self.conversion,
            "state.needs_default": self.default_of_state,
            "graph.unwired_port": self.missing_edge,
        }.get(self.fault.code)
        if more is not None:
            yield from more()

    # -- hints ---------------------------------------------------------------------------------------------------------

    def meant(self) -> Iterator[Fix]:
        """The hint's "did you mean"."""
        match = MEANT.search(self.fault.hint)
        if match is None or self.span.line != self.span.end_line:
            return
        wanted = match[1] or match[2] or match[3]
        if match[4] is not None:  # a name inside of what is shown
            value = value_at(self.root, self.steps)
            if isinstance(value, Mapping) and match[4] in value.entries:
                yield Fix(f"Change to `{wanted}`", (Edit(value.key_spans[match[4]], wanted),), True)
            return
        text = self.with_rest(wanted) if self.fault.code.startswith("reference.") else self.as_written(wanted)
        yield Fix(f"Change to `{wanted}`", (Edit(self.span, text),), True)

    def with_rest(self, wanted: str) -> str:
        """The beginning of a reference, with what stands behind the names that it replaces."""
        row = self.analysis.lines[self.span.line - 1][self.span.column - 1 : self.span.end_column - 1]
        names = row.split(".")
        return ".".join([wanted, *names[wanted.count(".") + 1 :]])

    def as_written(self, text: str) -> str:
        """A text in the quotes of what it replaces."""
        line = self.analysis.lines[self.span.line - 1]
        quote = line[self.span.column - 1 : self.span.column]
        whole = quote in ("'", '"') and line[self.span.end_column - 2 : self.span.end_column - 1] == quote
        return f"{quote}{text}{quote}" if whole else text

    def written(self) -> Iterator[Fix]:
        """The hint's "write": a name with its value, of which the value is put there."""
        match = _WRITE.search(self.fault.hint)
        if match is None or ": " not in match[1] or self.span.line != self.span.end_line:
            return
        name, _, value = match[1].partition(": ")
        if self.steps[-1:] == (name,):
            yield Fix(f"Write `{match[1]}`", (Edit(self.span, self.as_written(value)),), True)

    def operator(self) -> Iterator[Fix]:
        match = _OPERATOR.fullmatch(self.fault.hint)
        if match is not None:
            yield Fix(f"Change to `{match[1]}`", (Edit(self.span, match[1]),), True)

    # -- values --------------------------------------------------------------------------------------------------------

    def exclusive(self) -> Iterator[Fix]:
        """A bare value becomes a reference or a literal."""
        value = value_at(self.root, self.steps)
        if value is None or isinstance(value, Mapping) or self.span.line != self.span.end_line:
            return
        raw = self.analysis.lines[self.span.line - 1][self.span.column - 1 : self.span.end_column - 1]
        match = re.search(r"`\{ref: ([^`}…]+)\}`", self.fault.hint)
        if match is not None:
            yield Fix(f"Write `{{ref: {match[1]}}}`", (Edit(self.span, self.map("ref", quoted(match[1]))),), True)
        yield Fix(f"Write `{{value: {raw}}}`", (Edit(self.span, self.map("value", raw)),), match is None)

    def map(self, name: str, text: str) -> str:
        if not self.json:
            return f"{{{name}: {text}}}"
        return f'{{"{name}": {text if text[:1] in JSON_STARTS else json.dumps(text, ensure_ascii=False)}}}'

    def conversion(self) -> Iterator[Fix]:
        match = _CONVERT.search(self.fault.hint)
        holder = value_at(self.root, self.steps[:-1])
        if match is not None and isinstance(holder, Mapping) and "convert" not in holder.entries:
            yield Fix(f"Add `convert: {match[1]}`", (added(holder, "convert", match[1], self.json),), True)

    def default_of_value(self) -> Iterator[Fix]:
        holder = value_at(self.root, self.steps[:-1])
        target = target_at(self.view, self.steps) if self.view is not None else None
        if self.steps[-1:] != ("ref",) or not isinstance(holder, Mapping) or target is None:
            return
        yield from self.default(holder, target)

    def default_of_state(self) -> Iterator[Fix]:
        holder = value_at(self.root, self.steps)
        schema = self.view.plan.state.get(str(self.steps[-1])) if self.view is not None and self.steps else None
        if isinstance(holder, Mapping) and schema is not None:
            yield from self.default(holder, schema)

    def default(self, holder: Mapping, schema: Schema) -> Iterator[Fix]:
        zero = schema.enum[0] if schema.enum else _ZEROS.get(schema.type)
        if zero is not None:
            text = literal_text(zero, self.json)
            yield Fix(f"Add `default: {text}`", (added(holder, "default", text, self.json),), True)

    # -- fields --------------------------------------------------------------------------------------------------------

    def missing_field(self) -> Iterator[Fix]:
        match = _NEEDED.search(self.fault.message)
        holder = value_at(self.root, self.steps)
        if match is None or not isinstance(holder, Mapping):
            return
        name = match[1]
        known = entries(shape_at(self.steps), node_type_at(self.view, self.steps))
        each = next((each for each in known if each.name == name), None)
        if each is not None:
            text = without_places(flow_text(self.body(each)))
            yield Fix(f"Add `{name}`", (added(holder, name, text, self.json),), True)

    def body(self, each: Entry) -> Any:
        """Something that may stand in a field, to be changed."""
        if each.shape.one is not None:
            return field_skeleton(each.shape.one)
        if each.shape.holds == "config" and each.shape.node_type is not None:
            return config_skeleton(each.shape.node_type)
        part = each.shape.part
        if part is not None and part.example:
            return part.example
        return {"output": {"result": {"type": "string"}}, "nodes": [], "edges": []}.get(each.name, {})

    def missing_binding(self) -> Iterator[Fix]:
        """A binding from each of the first references that fit, the one of the same name before others."""
        match = _BOUND.match(self.fault.message)
        if match is None or self.view is None:
            return
        name, edge = match[1], self.steps[:2] == ("graph", "edges")
        key = "bindings" if edge else "input"
        at = self.steps if self.steps[-1:] == (key,) else (*self.steps, key)
        holder = value_at(self.root, at)
        around = value_at(self.root, at[:-1])
        for number, text in enumerate(self.fitting(at, name)):
            if isinstance(holder, Mapping):
                edit = added(holder, name, f"{{ref: {text}}}", self.json)
            elif isinstance(around, Mapping) and edge:
                bound = {**self.passed(at), name: text}
                all_bound = ", ".join(f"{one}: {{ref: {ref}}}" for one, ref in bound.items())
                edit = added(around, key, f"{{{all_bound}}}", self.json)
            else:
                return
            yield Fix(f"Bind `{name}` from `{text}`", (edit,), number == 0)

    def passed(self, at: Steps) -> dict[str, str]:
        """What an edge without bindings brings by itself, which it would not with some."""
        assert self.view is not None
        arc, fields = self.view.arc(at), targets_at(self.view, at)
        source = payload(self.view.graph, arc) if arc is not None else None
        if source is None or fields is None:
            return {}
        root, given = source
        return {one: f"{root}.{one}" for one in passed(given, fields) if assignable(given[one], fields[one]) is None}

    def fitting(self, at: Steps, name: str) -> list[str]:
        assert self.view is not None
        scope = scope_at(self.view, at)
        target = (targets_at(self.view, at) or {}).get(name)
        if scope is None or target is None:
            return []
        found = [
            symbol for symbol in symbols(scope)
            if symbol.present and symbol.schema is not None and assignable(symbol.schema, target) is None
        ]  # fmt: skip
        found.sort(key=lambda symbol: (symbol.path[-1] != name, nearness(symbol)))
        return [symbol.text for symbol in found[:MOST]]

    def missing_edge(self) -> Iterator[Fix]:
        """An edge out of a port that leads nowhere, to the node behind in the document."""
        match = re.search(r"port `(\w+)`", self.fault.message)
        node = self.view.node(self.steps) if self.view is not None else None
        edges = value_at(self.root, ("graph", "edges"))
        if match is None or node is None or not isinstance(edges, Sequence) or not edges.items or self.view is None:
            return
        target = self.onward(node)
        last = edges.items[-1]
        if target is None or self.json:
            return
        known = {edge.id for edge in self.view.plan.edges}
        name = next(one for one in numbered(f"{node.id}_{match[1]}") if one not in known)
        ends = f"source: {{nodeId: {node.id}, port: {match[1]}}}, target: {{nodeId: {target}, port: in}}"
        line, column = last.span.line, last.span.column
        dash = self.analysis.lines[line - 1][: column - 1]
        if dash.strip() == "-":
            end = Span(*last.span[2:], *last.span[2:])
            yield Fix(
                f"Add an edge from `{match[1]}` to `{target}`", (Edit(end, f"\n{dash}{{id: {name}, {ends}}}"),), True
            )

    def onward(self, node: Node) -> str | None:
        assert self.view is not None
        ids = [each.id for each in self.view.plan.nodes if each.id]
        behind = ids[ids.index(node.id) + 1 :] if node.id in ids else []
        return behind[0] if behind else None
