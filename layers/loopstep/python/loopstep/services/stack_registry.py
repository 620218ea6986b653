"""The stack's registry as one compile sees it: each thing is looked up once, as it stands then."""

from __future__ import annotations

from loopstep.compiler.pins import Pinned, Versions
from loopstep.registry.records import SKILL, SOURCE, Head
from loopstep.registry.store import RegistryStore


class StackRegistry:
    """A `compiler.pins.Registry` over the stack's own; made for one compile."""

    def __init__(self, registry: RegistryStore) -> None:
        self._registry = registry
        self._found: dict[tuple[str, str], Pinned | None] = {}
        self._heads: dict[str, list[Head]] = {}

    def find(self, kind: str, id: str) -> Pinned | None:
        """The newest version, with those of the skills and sources that it names."""
        if (kind, id) not in self._found:
            self._found[kind, id] = self._look_up(kind, id)
        return self._found[kind, id]

    def all(self, kind: str, label: str) -> Versions:
        """Everything registered of that kind, what is not enabled left out."""
        return {head.id: head.latest for head in self._list(kind) if head.enabled and label in ("", head.label)}

    def ids(self, kind: str) -> list[str]:
        """The ids that are registered of that kind."""
        return [head.id for head in self._list(kind)]

    def _list(self, kind: str) -> list[Head]:
        if kind not in self._heads:
            self._heads[kind] = self._registry.list(kind)
        return self._heads[kind]

    def _look_up(self, kind: str, id: str) -> Pinned | None:
        entry = self._registry.latest(kind, id)
        if entry is None:
            return None
        uses: dict[str, dict[str, int]] = {}
        missing = []
        for used, names in ((SKILL, "skills"), (SOURCE, "sources")):
            for name in entry.content.get(names, ()):
                head = self._registry.head(used, name)
                if head is None or head.removed:
                    missing.append((used, name))
                else:
                    uses.setdefault(used, {})[name] = head.latest
        return Pinned(entry.version, uses, entry.content["kind"] if kind == SOURCE else "", tuple(missing))
