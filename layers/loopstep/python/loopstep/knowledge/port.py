"""What asks knowledge sources, whatever they are (CANVAS §3.5): the node function and the tool of agents use this."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

DOCUMENT = "DOCUMENT"
STRUCTURED_DATA = "STRUCTURED_DATA"
GRAPH = "GRAPH"
KINDS = (DOCUMENT, STRUCTURED_DATA, GRAPH)

MOST = 100  # evidences that one answer may have (LANGUAGE §7, `topK`)

# `id sourceType evidenceType title content score sourceName sourceRef payload metadata`; what is absent is left out.
Evidence = dict[str, Any]


class Found(NamedTuple):
    """The evidences, best first, and by `datasource:<id>`, `graph:<id>` and `error:<id>` how each source answered.

    `failed`: every source that was asked failed. `asked` says of each source whether it is enabled.
    """

    evidences: list[Evidence]
    diagnostics: dict[str, Any]
    failed: bool
    asked: Mapping[str, bool] = MappingProxyType({})


class SourceEntry(Protocol):
    """A source as the registry has it: `content` is `{name, kind, managed, enabled, …}`."""

    @property
    def id(self) -> str: ...

    @property
    def content(self) -> dict[str, Any]: ...


class Knowledge(Protocol):
    """Asks sources. `runtime.composition.knowledge()` makes the one of a node function's environment."""

    def retrieve(self, sources: Mapping[str, SourceEntry], query: str, top_k: int, seconds: float) -> Found:
        """The best `top_k` (1 to MOST) over all enabled sources, asked at once.

        The query is data, whatever characters it has. It takes at most `seconds`: a source that has not answered by
        then failed. Never raises for what a source does.
        """
        ...


class SourceFailed(Exception):
    """A source cannot be asked now; the message is a sentence for diagnostics, without data."""
