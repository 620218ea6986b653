"""The checked plan as `emit` needs it: reachable nodes only, every name resolved, every value a tree.

`plan.build` makes a Program, `emit.emit` reads it. Nothing here knows a document, a diagnostic or a state machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.to_jsonata import Condition

ENTRY = ""  # the edge id of the graph's entry, which no document can use


class Exit(NamedTuple):
    """One edge out of a port, in document order; without a condition it is the port's default."""

    edge: str
    target: str
    condition: Condition | None = None


class Enclosing(NamedTuple):
    """One region around a node, outermost first in `Step.enclosing`.

    `kind` is "loop", "items" or "branches"; `node` the loop's or fan_out's id; `part` the branch name, "item" or
    "body". Loops and items add one number to the path, branches none (LANGUAGE §8, ARCHITECTURE §2).
    """

    kind: str
    node: str
    part: str


class Retry(NamedTuple):
    """LANGUAGE §7: all tries counted; seconds, whole."""

    max_attempts: int
    backoff: int
    factor: float
    max_backoff: int | None


class Step(NamedTuple):
    """A reachable node. `spec` is the node's half of the contract with its function, JSON data without its exits."""

    id: str
    type: str
    line: int
    spec: dict[str, Any]
    exits: dict[str, tuple[Exit, ...]]  # by wired port, ports in catalog order
    enclosing: tuple[Enclosing, ...] = ()
    retry: Retry | None = None
    timeout: int | None = None  # seconds per attempt
    wait: int | None = None  # seconds to wait for an answer; a step with it runs under a task token
    pauses: bool = False  # its reply carries `until`, and a Wait state follows (node type wait)
    counts: bool = False  # it has an own number in the path (node type loop)
    fail_code: str | None = None  # a failed end: the state machine fails with it


class FanOut(NamedTuple):
    """A region between a fan_out and its join; `parts` are the branch names, or ("item",)."""

    node: str
    join: str
    kind: str  # "items" | "branches"
    parts: tuple[str, ...]
    mode: str  # "all" | "any" | "count"
    needed: int  # of mode count over items: how many the join needs, else 0; with fewer items no part begins
    max_items: int
    max_concurrency: int
    distributed: bool  # over items, each in a child execution with a history of its own


class Program(NamedTuple):
    """What one plan version does. `timeout` is in seconds; `steps` are in document order."""

    entry: str
    timeout: int
    steps: dict[str, Step]
    fan_outs: dict[str, FanOut]  # by fan_out id
