"""What of the stack's registry a plan version uses, by version: pinned into each node's spec when it is compiled.

Without a registry nothing can be looked up: each name is a warning (LANGUAGE §10), and nothing is pinned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from loopstep.compiler.model import Node, below
from loopstep.compiler.resolve import Graph
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.nodes.node_type import Mention

if TYPE_CHECKING:
    from loopstep.source.document import Value

UNKNOWN = "registry.unknown"

Versions = Mapping[str, int]  # by id
Pins = dict[str, dict[str, int]]  # versions by kind and id


class Pinned(NamedTuple):
    """A registered thing as it stands: its version, what else it may use (versions by kind and id), a source's kind.

    `missing`: (kind, id) of what it names and the stack has no more.
    """

    version: int
    uses: Mapping[str, Versions] = {}
    label: str = ""
    missing: tuple[tuple[str, str], ...] = ()


class Registry(Protocol):
    """What the stack has registered, as of the moment of compiling. Kinds: agent, skill, source."""

    def find(self, kind: str, id: str) -> Pinned | None:
        """The newest version of that id, None where it is not registered."""

    def all(self, kind: str, label: str) -> Versions:
        """Everything registered of that kind; of sources the enabled ones, of that `label` where it is given."""

    def ids(self, kind: str) -> list[str]:
        """The ids that are registered of that kind."""


def find_pins(graph: Graph, registry: Registry | None, reporter: Reporter) -> dict[str, Pins]:
    """By node what it may use; nodes that use nothing left out. Unknown names are reported at their value."""
    found: dict[str, Pins] = {}
    for node in (*graph.nodes.values(), *graph.copies):
        pins: Pins = {}
        for mention in _mentions(node):
            if mention.id:
                _pin(mention, below(node.at, mention.place), registry, pins, reporter)
            elif registry is not None:
                _pin_all(mention, below(node.at, mention.place), registry, pins, reporter)
        if pins:
            found[node.id] = {kind: dict(sorted(pins[kind].items())) for kind in sorted(pins)}
    return found


def _mentions(node: Node) -> Iterator[Mention]:
    if node.type is None:
        return
    for field in node.type.fields:
        if field.registry and field.name in node.config:
            place = (node.type.config_key, field.name)
            yield Mention(field.registry, node.config[field.name], place, whole=True)
    yield from node.type.mentions(node)


def _pin(mention: Mention, at: Value, registry: Registry | None, pins: Pins, reporter: Reporter) -> None:
    kind, name = mention.kind, mention.id
    if registry is None:
        message = f"only a stack can tell whether it has the {kind} `{name}`"
        hint = f"`loopstep {kind}s list` shows what is registered; publishing checks it"
        reporter.warning(UNKNOWN, message, at, hint)
        return
    found = registry.find(kind, name)
    if found is None:
        near = nearest(name, registry.ids(kind))
        hint = f"did you mean `{near}`?" if near else f"`loopstep {kind}s put` registers one"
        reporter.error(UNKNOWN, f"the stack has no {kind} `{name}`", at, hint)
    elif mention.label and found.label and mention.label != found.label:
        message = f"the source `{name}` is of kind {found.label}, this node asks {mention.label}"
        reporter.error(UNKNOWN, message, at, f"name a {mention.label} source, or ask {found.label}")
    else:
        pins.setdefault(kind, {})[name] = found.version
        for used, versions in found.uses.items() if mention.whole else ():
            pins[used] = {**versions, **pins.get(used, {})}
        for other, missing in found.missing if mention.whole else ():
            message = f"the {kind} `{name}` uses the {other} `{missing}`, which the stack does not have any more"
            reporter.error(UNKNOWN, message, at, f"put `{missing}` again, or a `{name}` that does without")


def _pin_all(mention: Mention, at: Value, registry: Registry, pins: Pins, reporter: Reporter) -> None:
    every = registry.all(mention.kind, mention.label)
    if every:
        pins[mention.kind] = {**pins.get(mention.kind, {}), **every}
    if not every and mention.needed:
        kind = f"{mention.label} source" if mention.label else mention.kind
        message = f"the stack has no {kind}, so this node finds nothing"
        reporter.warning(UNKNOWN, message, at, f"`loopstep {mention.kind}s put` registers one; then publish again")


def together(pins: Iterable[Pins]) -> Pins:
    """What several nodes use, by kind and id."""
    found: Pins = {}
    for own in pins:
        for kind, versions in own.items():
            found.setdefault(kind, {}).update(versions)
    return {kind: dict(sorted(found[kind].items())) for kind in sorted(found)}
