"""What the runs table holds, as data. Times are ISO 8601 UTC texts with milliseconds and `Z` (ARCHITECTURE §4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from loopstep.access.actor import Actor
from loopstep.runs.keys import activation_id
from loopstep.runs.values import Stored

if TYPE_CHECKING:
    from loopstep.runs.regions import Broken, Brought, Membership, Standing
    from loopstep.runs.waits import WaitEnd

_NOTHING: Mapping[str, Any] = MappingProxyType({})

# LANGUAGE §9, statuses of a run
CREATED = "created"
RUNNING = "running"
SUCCEEDED = "succeeded"
FAILED = "failed"
CANCELLED = "cancelled"
TIMED_OUT = "timed_out"
RUN_STATUSES = (CREATED, RUNNING, SUCCEEDED, FAILED, CANCELLED, TIMED_OUT)
TERMINAL = (SUCCEEDED, FAILED, CANCELLED, TIMED_OUT)

# statuses of an activation: open ones can still be closed, once
COMPLETED = "completed"
WAITING = "waiting"
REOPENED = "reopened"  # by a redrive; listings leave it out until it begins again
OPEN = (RUNNING, WAITING, REOPENED)
ENDED = "ended"  # in no record: what listings say of one that was open when its run ended


class Failure(NamedTuple):
    """Why a node or a run failed: a code of LANGUAGE §9 (or the plan's own) and a sentence."""

    code: str
    message: str


class RunError(NamedTuple):
    """A run's `error`; `activation` is the id of the activation that it comes from, where there is one."""

    code: str
    message: str
    node: str | None = None
    activation: str | None = None


class Head(NamedTuple):
    """One run. `epoch` counts its executions (a redrive starts the next); `fences` says whether fence items exist."""

    run: str
    plan: str
    version: int
    status: str
    epoch: int
    started_at: str
    input: Stored
    ended_at: str | None = None
    output: Stored | None = None
    error: RunError | None = None
    machine: str = ""  # ARN of the version's state machine
    digest: str = ""  # of the request that created the run, for Idempotency-Key
    fences: bool = False
    size: int = 0  # of the item, in bytes
    timeout: int = 0  # seconds that one epoch may take, 0 where the version does not say
    redriven_at: str | None = None  # when this epoch began, for all but the first
    renewing: bool = False  # a redrive has still to take the expiry off its items
    depth: int = 0  # how many runs led to this one through events
    started_by: Actor | None = None  # who asked for it, None for runs from before that was recorded
    redriven_by: Actor | None = None  # who asked for this epoch, for all but the first
    cancelled_by: Actor | None = None

    @property
    def epoch_at(self) -> str:
        """When the execution of this epoch was asked for."""
        return self.redriven_at or self.started_at


class WaitRef(NamedTuple):
    """Which wait an activation waits for: its kind and the id that the outside knows (`runs.waits`)."""

    kind: str
    id: str


class State(NamedTuple):
    """A run's state at one revision; an absent field has no entry. `size` is the item's without its fields."""

    rev: int
    fields: dict[str, Stored]


class Attempt(NamedTuple):
    """One try of a node that acts outside, recorded before it acts; `timeout` in seconds, 0 for none."""

    number: int
    epoch: int
    started_at: str
    owner: str
    timeout: int = 0
    ended_at: str | None = None
    code: str | None = None  # of its failure
    usage: Mapping[str, Any] | None = None  # what it used of models, as the API shows it


class Activation(NamedTuple):
    """One execution of a node inside a run; the id is `<node>#<path>`, the same on every retry and redrive."""

    node: str
    path: str
    status: str
    epoch: int
    started_at: str
    ended_at: str | None = None
    attempts: tuple[Attempt, ...] = ()
    input: Stored | None = None
    output: Stored | None = None
    error: Failure | None = None
    port: str | None = None
    edge: str | None = None  # None: no edge matched, or the node has no ports
    seen: list[Any] | None = None  # operands of the port's conditions
    read: list[Any] | None = None  # what the larger ones and a loop's `while` read, cut for people
    source: str | None = None  # id of the activation that led here, None at the entry
    arrived_by: str = ""  # edge id, "" at the entry
    until: str | None = None  # a wait's end
    items: Stored | None = None  # a fan_out's elements
    item_count: int | None = None  # and how many they are
    wrote: Mapping[str, Stored] = _NOTHING  # a set_variable's new state fields
    rev: int | None = None  # the state's revision that these made
    owner: str = ""  # the invocation that wrote the record last
    region: str | None = None  # id of the innermost join's activation around one that acts outside
    wait: WaitRef | None = None  # what it waits for, where it asked somebody

    @property
    def id(self) -> str:
        """`<node id>#<path>`."""
        return activation_id(self.node, self.path)

    @property
    def open(self) -> bool:
        """Whether it can still be closed."""
        return self.status in OPEN

    def attempts_in(self, epoch: int) -> tuple[Attempt, ...]:
        """The attempts of one epoch: a redrive starts counting again."""
        return tuple(each for each in self.attempts if each.epoch == epoch)


class Message(NamedTuple):
    """A message that a node sent to a scope; `thread` is the id of the thread it opened, if it did."""

    id: str
    node: str
    activation: str
    scope: str
    text: Stored
    sent_at: str
    thread: str | None = None


class NewRun(NamedTuple):
    """What creates a run: `input` as validated, `state` the defaults; values are JSON data.

    `owner` is a random text of this request, `digest` names its content ("" without Idempotency-Key).
    """

    run: str
    plan: str
    version: int
    machine: str
    input: dict[str, Any]
    state: dict[str, Any]
    created_at: str
    owner: str
    digest: str = ""
    status: str = RUNNING
    fences: bool = False
    timeout: int = 0
    depth: int = 0
    by: Actor | None = None


class StateChange(NamedTuple):
    """New values of top-level state fields, made from the state at revision `base.rev`."""

    base: State
    fields: Mapping[str, Any]


class RunEnd(NamedTuple):
    """How a run ends."""

    status: str
    ended_at: str
    output: Any = None  # JSON data, with succeeded
    error: RunError | None = None
    by: Actor | None = None  # who ended it, with cancelled


class Outgoing(NamedTuple):
    """A message to store, its text as data."""

    id: str
    scope: str
    text: str
    sent_at: str
    thread: str | None = None


class Closing(NamedTuple):
    """An activation's end, values as JSON data; what is None is left out of the record."""

    node: str
    path: str
    status: str
    started_at: str
    ended_at: str
    input: Any = None
    output: Any = None
    error: Failure | None = None
    port: str | None = None
    edge: str | None = None
    seen: list[Any] | None = None
    read: list[Any] | None = None
    source: str | None = None
    arrived_by: str = ""
    until: str | None = None
    items: list[Any] | None = None  # a fan_out's elements
    wait: WaitRef | None = None

    @property
    def id(self) -> str:
        """`<node id>#<path>`."""
        return activation_id(self.node, self.path)


class Commit(NamedTuple):
    """The one conditional write that ends an activation, with what happens in the same transaction (ARCHITECTURE §3).

    `known` is the activation's record as read (open, or None), `attempt` the finished entry of the attempt that acted.
    `fence`: guarded by the activation's fence instead of the head. `end` needs the `head` as read. `members` are the
    regions around it, none of which may be decided; `brought` is what its edge brings to a join, `broken` the failure
    that decides a join with mode all. `wait` ends what the activation waits for.
    """

    run: str
    epoch: int
    owner: str
    closing: Closing
    known: Activation | None = None
    attempt: Attempt | None = None
    fence: bool = False
    change: StateChange | None = None
    message: Outgoing | None = None
    end: RunEnd | None = None
    head: Head | None = None
    members: tuple[Membership, ...] = ()
    brought: Brought | None = None
    broken: Broken | None = None
    wait: WaitEnd | None = None


class Created(NamedTuple):
    """The run that stands after `create_run`; `new` is False when an equal request had created it before."""

    head: Head
    new: bool


class Loaded(NamedTuple):
    """What one consistent read found; activations by id, those that have no record are missing."""

    head: Head | None
    state: State | None
    activations: dict[str, Activation]
    races: Mapping[str, Standing] = _NOTHING  # by join's activation id, those that have begun
