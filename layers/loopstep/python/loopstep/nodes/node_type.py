"""What every node type declares: a rule that depends on the type stands here, never in a comparison elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from loopstep.nodes.field import Field
from loopstep.types.schema import Fields, Schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class NodeView(Protocol):
        """What a node type sees of a node (compiler.model.Node)."""

        @property
        def id(self) -> str: ...
        @property
        def input(self) -> Fields | None: ...
        @property
        def output(self) -> Fields | None: ...
        @property
        def config(self) -> Mapping[str, Any]: ...
        @property
        def valid(self) -> bool: ...
        @property
        def broken(self) -> frozenset[str]: ...

        def stands(self, name: str) -> bool: ...

    class Lower(Protocol):
        """Makes JSON data of what a node reads, loop counters resolved (the compiler's plan pass)."""

        @property
        def plan_output(self) -> Fields: ...
        @property
        def plan_state(self) -> Fields: ...

        def value(self, value: Any) -> Any: ...
        def expr(self, expr: Any) -> Any: ...
        def template(self, template: Any, keep: bool) -> Any: ...


UNKNOWN = Schema("unknown")  # the type of what could not be read: fits everything

# What the structure of a graph is made of (LANGUAGE §8).
STEP, FAN_OUT, JOIN, LOOP, END = "step", "fan_out", "join", "loop", "end"

# Whether a node declares `output`.
NO_OUTPUT, MAY_DECLARE, MUST_DECLARE = "none", "may", "must"

MISSING_FIELD, INVALID_VALUE = "document.missing_field", "document.invalid_value"


class Exits(NamedTuple):
    """The exit ports of a node. `exempt` ones need no edge; `open`: others may exist, its config could not be read."""

    names: tuple[str, ...]
    exempt: tuple[str, ...] = ("failed",)
    open: bool = False


class Problem(NamedTuple):
    """A fault between the fields of one node; `place` is the path below the node, config key included."""

    code: str
    place: tuple[str | int, ...]
    message: str
    hint: str = ""


class Mention(NamedTuple):
    """A registered thing that a node may use, or with the id "" everything registered of that kind (and `label`).

    `kind` is agent, skill or source, `label` a source's own kind ("": any). `place` is the path below the node, config
    key included. `whole`: with whatever that thing itself may use. `needed`: where nothing of that kind is registered,
    that deserves a word.
    """

    kind: str
    id: str
    place: tuple[str | int, ...]
    label: str = ""
    whole: bool = False
    needed: bool = False


def exits(*names: str) -> Callable[[NodeView], Exits]:
    """Exit ports that no config changes."""
    fixed = Exits(names)
    return lambda node: fixed


def no_outputs(node: NodeView) -> dict[str, Fields] | None:
    """No port exposes output."""
    return {}


def declared_on_completed(node: NodeView) -> dict[str, Fields] | None:
    """`completed` exposes the declared output; None where that could not be read or is missing."""
    return None if node.output is None else {"completed": node.output}


def no_problems(node: NodeView) -> Iterator[Problem]:
    """Nothing beyond the fields themselves."""
    return iter(())


def no_mentions(node: NodeView) -> Iterator[Mention]:
    """Nothing registered beyond what the fields with a `registry` name."""
    return iter(())


def no_wait(node: NodeView) -> int | None:
    """The node waits for no answer."""
    return None


def no_parts(node: NodeView) -> tuple[str, ...]:
    """The node opens no region."""
    return ()


def own_contract(node: NodeView, plan_output: Fields) -> Fields:
    """The declared input; none where it is left out."""
    return node.input or {}


class NodeType(NamedTuple):
    """One row of LANGUAGE §7.

    `exits`: the exit ports, in order. `outputs`: what each port exposes, by port, ports without output left out; None
    where that depends on what could not be read (then every port may expose anything). `parts`: the exit ports that
    lead into the region a node opens. `contract`: the fields an arriving edge has to bind. `problems`: faults between
    fields. `mentions`: what of the registry it may use beside what its fields name. `wait`: seconds to wait for an
    answer, None where the node waits for none. `spec`: the node's own part of its spec (the compiled definition's half
    of the contract with the function).
    """

    name: str
    config_key: str
    summary: str
    ports: str  # for readers: the exit ports
    exposes: str  # for readers: the output
    fields: tuple[Field, ...]
    exits: Callable[[NodeView], Exits]
    spec: Callable[[NodeView, Lower], dict[str, Any]]
    role: str = STEP
    entries: tuple[str, ...] = ("in",)
    declares_output: str = NO_OUTPUT
    outputs: Callable[[NodeView], dict[str, Fields] | None] = no_outputs
    problems: Callable[[NodeView], Iterator[Problem]] = no_problems
    contract: Callable[[NodeView, Fields], Fields] = own_contract
    parts: Callable[[NodeView], tuple[str, ...]] = no_parts
    wait: Callable[[NodeView], int | None] = no_wait
    mentions: Callable[[NodeView], Iterator[Mention]] = no_mentions
    acts_outside: bool = False  # may have `retry` and `timeout`; attempts are recorded before it acts
    passes_input: bool = True  # `input.*` can be read on its edges, and is its payload where no output is exposed
    pauses: bool = False  # a Wait follows its Task
    counts: bool = False  # adds its iterations to the path
    alternatives: tuple[str, ...] = ()  # config fields of which exactly one has to stand
    notes: tuple[str, ...] = ()  # for readers: what the table cannot say, a paragraph each

    @property
    def by_name(self) -> dict[str, Field]:
        return {each.name: each for each in self.fields}

    @property
    def required(self) -> tuple[str, ...]:
        """The config fields that a node has to have."""
        return tuple(each.name for each in self.fields if each.required)

    @property
    def defaults(self) -> dict[str, Any]:
        """What stands, parsed, where fields are left out."""
        return {each.name: each.default for each in self.fields if each.default is not None}


def fields_json(fields: Fields) -> dict[str, Any]:
    """A contract as it travels in a spec: field name → brief Schema."""
    return {name: schema.brief() for name, schema in fields.items()}


def one_text_output(node: NodeView) -> Iterator[Problem]:
    """Agents, skills and smart actions answer with one text (LANGUAGE §7)."""
    if node.output is None:
        return
    found = f"it declares {len(node.output)} fields"
    if len(node.output) == 1:
        name, schema = next(iter(node.output.items()))
        if schema.type in ("string", UNKNOWN.type):
            return
        found = f"`{name}` is of type {schema.type}"
    message = f"this output has to be one field of type string, {found}"
    yield Problem(INVALID_VALUE, ("output",), message, "declare one field, as `output: {result: {type: string}}`")
