"""Cases of a plan, as `read_cases` reads them (docs/testing.md)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from loopstep.source.document import Span
from loopstep.testing.clock import BEGIN

ANY_NODE = "*"  # answers for whichever node asks
APPROVAL, CALLBACK, REDRIVE, CANCEL = "approval", "callback", "redrive", "cancel"
UNSAID: Any = type("Unsaid", (), {"__repr__": lambda self: "UNSAID"})()  # nothing is expected of it


class Answer(NamedTuple):
    """What a model says once. `error` is "unavailable", "refused" or ""; `match`: texts that the request has to have.

    `times`: how many requests it answers, None for all. `delay` in seconds.
    """

    reply: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    error: str = ""
    match: tuple[str, ...] = ()
    delay: float = 0.0
    times: int | None = 1


Answers = Mapping[str, tuple[Answer, ...]]  # by node id or ANY_NODE


class Step(NamedTuple):
    """What somebody outside does. `content` is the decision or the answer; `after` seconds from the question on.

    `status`: the HTTP status that the API would answer with. `next`: another wait than before.
    """

    kind: str
    content: dict[str, Any]
    span: Span
    node: str | None = None
    after: float = 0.0
    status: int = 200
    next: bool = False


class Case(NamedTuple):
    """One run and what is expected of it. `rejected`: pointers into an input that is refused."""

    name: str
    span: Span
    input: Any
    models: Answers
    steps: tuple[Step, ...] = ()
    files: Mapping[str, str] = {}
    started_at: datetime = BEGIN
    rejected: tuple[str, ...] | None = None
    status: str = "succeeded"
    error: Mapping[str, Any] = {}
    output: Any = UNSAID
    state: Any = UNSAID
    messages: Any = UNSAID
    activations: Mapping[str, int] | None = None
    path: tuple[str, ...] | None = None


class Entry(NamedTuple):
    """Something to register: a kind of `registry.records`, an id, its document as JSON data, a source's documents."""

    kind: str
    id: str
    content: dict[str, Any]
    documents: Mapping[str, str]
    span: Span


class Cases(NamedTuple):
    """A whole file. `plan` is the path of its plan, as written there; None: the one beside it. `models` are for all."""

    plan: str | None
    register: tuple[Entry, ...]
    models: Answers
    runs: tuple[Case, ...]
