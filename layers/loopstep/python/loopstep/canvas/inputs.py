"""What a node reads, as its activation's input: declared inputs, placeholders, the context block (CANVAS §2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from loopstep.canvas.graph import Graph
from loopstep.canvas.model import Canvas, CanvasNode, Json, Wanted
from loopstep.canvas.names import Names
from loopstep.canvas.templates import placeholders, rewrite
from loopstep.canvas.variables import Table, Variable, visible
from loopstep.convert.registry import sure
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.source.document import Mapping, Place, Scalar, Sequence, Value

UNKNOWN_VARIABLE = "canvas.unknown_variable"
TEXT = "string"
LISTS = frozenset(("evidences", "workingDirFiles"))  # kinds whose text is not what a template shows of the list


@dataclass(slots=True)
class Inputs:
    """A node's inputs: `types` by name, `bindings` of those that something can fill (ValueExprs over state).

    `offered`: the same where a value that is not convertible is just left out. `context`: those listed for the model.
    `reads`: the variables. `shown`: what placeholders read, by name.
    """

    types: dict[str, str] = field(default_factory=dict)
    bindings: Json = field(default_factory=dict)
    offered: Json = field(default_factory=dict)
    preconditions: list[str] = field(default_factory=list)
    context: list[str] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)

    def add(
        self, name: str, kind: str, variable: Variable | None, mode: str | None = None, required: bool = False
    ) -> None:
        """One input and what fills it; a `required` one in `preconditions` has to be convertible."""
        self.types[name] = kind
        if required:
            self.preconditions.append(name)
        if variable is not None:
            self.bindings[name] = value_of(variable, kind, mode, strict=required)
            self.offered[name] = value_of(variable, kind, mode)
            self.reads.add(variable.name)

    def fields(self) -> Json:
        """The inputs as a document declares them."""
        return {name: {"type": kind} for name, kind in self.types.items()}

    def rewritten(self, text: str) -> str:
        """A text with its placeholders bound."""
        return rewrite(text, self.shown.__contains__)


def value_of(variable: Variable, to: str, mode: str | None = None, strict: bool = False) -> Json:
    """A variable for a target of a type: converted by its kind, unless it is of that type already.

    What gives no value leaves its target out; where it is `strict` that is a fault.
    """
    source: Json = {"ref": f"state.{variable.name}"}
    if variable.type == to and mode is None:
        return source
    convert: Json = {"to": to}
    if mode is not None:
        convert["mode"] = mode
    if variable.kind != "value":
        convert["from"] = variable.kind
    if not strict and not sure(variable.kind, to, variable.type):
        convert["orAbsent"] = True
    return {**source, "convert": convert}


def texts_of(node: CanvasNode) -> Iterable[tuple[str, Value]]:
    """A node's templates that are texts: their field in the plan's config, and where they stand."""
    for key, name in node.type.templates:
        if isinstance(found := node.value(key), Scalar) and isinstance(found.value, str):
            yield name, found
    conditions = node.value("conditions") if node.type.branches else None
    if isinstance(conditions, Sequence):
        for item in conditions.items:
            found = item.entries.get("expression") if isinstance(item, Mapping) else None
            if isinstance(found, Scalar) and isinstance(found.value, str):
                yield "conditions", found


class Reader:
    """Works out the inputs of every node, and reports what nothing can fill.

    `certain`: no field's name is in doubt, which could be the very one that is looked for.
    """

    def __init__(self, canvas: Canvas, graph: Graph, table: Table, report: Reporter, certain: bool = True) -> None:
        self.canvas, self.graph, self.table, self.report = canvas, graph, table, report
        self.certain = certain

    def source(self, node: CanvasNode, wanted: Wanted, before: dict[str, Variable]) -> Variable | None:
        """The variable of a declared input: what its mapping picks, else that of its own name."""
        choice = wanted.mapping
        if choice is None:
            found = before.get(wanted.name)
            if found is None:
                self._unknown(node, wanted.name, f"no node before `{node.id}` writes", wanted.at, before)
            return found
        mapped = self.canvas.by_id.get(choice.node)
        if mapped is None:
            message = f"the mapping of `{wanted.name}` names `{choice.node}`, which is not on the canvas"
            near = nearest(choice.node, self.canvas.by_id)
            hint = f"did you mean `{near}`?" if near else ""
            self.report.error("canvas.unknown_node", message, choice.at.entries["nodeId"], hint)  # type: ignore[attr-defined]
            return None
        if not self.graph.before[node.index] >> mapped.index & 1:
            message = f"the mapping of `{wanted.name}` names `{mapped.id}`, which does not lead to `{node.id}`"
        elif choice.field not in {each.name for each in mapped.outputs}:
            message = f"the mapping of `{wanted.name}` names `{choice.field}`, which `{mapped.id}` does not write"
        else:
            return self.table[choice.field]
        if self.certain:
            self.report.warning(UNKNOWN_VARIABLE, message, choice.at, f"choose what a node before `{node.id}` writes")
        return None

    def read(self, node: CanvasNode) -> Inputs:
        """The inputs of a node: the variables first, in the order of their writers, then what else it declares."""
        before = {variable.name: variable for variable in visible(self.graph, self.table, node.index)}
        declared = {wanted.name: wanted for wanted in node.inputs}
        sources = {name: self.source(node, wanted, before) for name, wanted in declared.items()}
        inputs = Inputs()
        inputs.shown = self._shown(node, before, sources)
        in_context = list(before) if node.type.context else []
        names = [name for name in before if name in inputs.shown or node.type.context]
        names += [name for name in sources if name in inputs.shown and name not in before]
        later: list[Wanted] = []
        for name in names:
            wanted = declared.get(name)
            variable = sources[name] if name in sources else before[name]
            kind = TEXT if wanted is None or variable is None else self._as_shown(wanted, variable)
            own = wanted is not None and kind == wanted.type
            mode = wanted.mode if wanted is not None and own else None
            inputs.add(name, kind, variable, mode, wanted is not None and own and wanted.required)
            if wanted is not None and not own:
                later.append(wanted)
        inputs.context = in_context
        self._declared(inputs, declared, sources, later)
        return inputs

    def _as_shown(self, wanted: Wanted, variable: Variable) -> str:
        """The type of an input that is shown as text: its own where that reads the same, else a text."""
        alike = wanted.type == variable.type and wanted.mode is None and variable.kind not in LISTS
        return wanted.type if alike else TEXT

    def _declared(
        self,
        inputs: Inputs,
        declared: dict[str, Wanted],
        sources: dict[str, Variable | None],
        later: list[Wanted],
    ) -> None:
        """What is declared and not there yet; an input that is also shown as text has a second name for its type."""
        names = Names([*inputs.types, *declared])
        for name, wanted in declared.items():
            own = name
            if wanted in later:
                own = names.make(f"{name}_{wanted.type}")
            if own not in inputs.types:
                inputs.add(own, wanted.type, sources[name], wanted.mode, wanted.required)

    def _shown(self, node: CanvasNode, before: dict[str, Variable], sources: dict[str, Variable | None]) -> set[str]:
        """The names in placeholders that something fills; of a declared input that nothing does, that was said."""
        shown: set[str] = set()
        told: set[str] = set()
        for _, at in texts_of(node):
            assert isinstance(at, Scalar) and isinstance(at.value, str)
            for name, start, end in placeholders(at.value):
                filled = sources[name] is not None if name in sources else name in before
                if filled:
                    shown.add(name)
                elif name not in sources and name not in told:
                    told.add(name)
                    self._unknown(node, name, f"no node before `{node.id}` writes", at.within(start, end), before)
        return shown

    def _unknown(self, node: CanvasNode, name: str, why: str, at: Value | Place, before: dict[str, Variable]) -> None:
        if not self.certain:
            return
        writer = self.table.get(name)
        if writer is not None:
            others = ", ".join(f"`{self.canvas.nodes[index].id}`" for index, _ in writer.writers[:3])
            hint = f"{others} writes it, and does not lead here"
        else:
            near = nearest(name, before)
            hint = f"did you mean `{near}`?" if near else ""
        self.report.warning(UNKNOWN_VARIABLE, f"{why} `{name}`", at, hint)
