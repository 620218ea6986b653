"""What a node type adds to the wrapper: its config, what it does, and where its token goes (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from loopstep.runs.records import Activation, Head, Outgoing, RunEnd, State
from loopstep.runs.waits import Wait
from loopstep.runtime.deadline import UNBOUNDED, Deadline
from loopstep.runtime.spec import Spec
from loopstep.runtime.token import Token


class Situation(NamedTuple):
    """What a behaviour sees. `data` holds the roots by name, with the own path, for config and exits (LANGUAGE §5).

    `input` satisfies the contract; `source` is the record of the activation left. `now` is a record's time text; with
    attempts recorded, `first` is that of the first. `deadline` says how long the attempt may act.
    """

    token: Token
    spec: Spec
    head: Head
    path: str
    input: dict[str, Any]
    data: dict[str, Any]
    state: State
    now: str
    first: str
    activation: str
    source: Activation | None = None
    deadline: Deadline = UNBOUNDED
    lost: tuple[str, ...] = ()  # a sentence for each optional input that its conversion gave no value


class Effect(NamedTuple):
    """What an activation comes to: the port it leaves through (None: it has none) and what is committed with it."""

    port: str | None
    output: dict[str, Any] | None = None
    state: Mapping[str, Any] = MappingProxyType({})  # new values of top-level state fields
    message: Outgoing | None = None
    end: RunEnd | None = None
    until: str | None = None  # a wait's end
    items: list[Any] | None = None  # a fan_out's elements
    usage: dict[str, Any] | None = None  # what was used of models, as the API shows it


class Question(NamedTuple):
    """What somebody outside is asked: `text` is the summary of an approval or the message of a callback.

    `output` is the contract of a callback's answer by field, `message` what is stored with the request.
    """

    kind: str
    scope: str
    text: str
    approvers: tuple[str, ...] = ()
    output: dict[str, Any] | None = None
    message: Outgoing | None = None


class Behaviour:
    """The defaults of a node type. Subclasses raise NodeFailure for what the plan should hear of."""

    acts_outside = False  # then attempts are recorded before it acts

    def prepare(self, data: dict[str, Any]) -> Any:
        """Return the config of a parsed spec, with its trees compiled; kept with the spec."""
        return None

    def state_read(self, data: dict[str, Any]) -> frozenset[str]:
        """Return the top-level state fields that the node reads beside those that its trees name."""
        return frozenset()

    def own_path(self, token: Token, spec: Spec) -> str:
        """Return the path of the activation that a token leads to."""
        return token.path

    def earlier(self, token: Token, spec: Spec) -> str | None:
        """Return the id of an own activation whose input is kept where an edge does not bind it."""
        return None

    def onward_path(self, path: str, port: str | None) -> str:
        """Return the path of what follows, from the own path and the port left."""
        return path

    def adds(self, token: Token, spec: Spec, record: Activation) -> dict[str, Any]:
        """Return what else the token that leaves a closed activation carries."""
        return {}

    def checks_input(self, token: Token, spec: Spec) -> bool:
        """Whether the input is held against the node's contract."""
        return True

    def contract_code(self, spec: Spec) -> str:
        """Return the code of an input that does not satisfy the contract."""
        return "input.contract"

    def ready(self, situation: Situation) -> Any:
        """Evaluate the config: what can go wrong with data goes wrong here, before an attempt is recorded."""
        return None

    def ask(self, situation: Situation, ready: Any) -> Question:
        """Under a task token: what the node asks, and then waits for the answer."""
        raise NotImplementedError

    def announce(self, situation: Situation, question: Question, wait: Wait) -> None:
        """Send the request out. It may happen again under the same id."""
        raise NotImplementedError

    def act(self, situation: Situation, ready: Any) -> Effect:
        """Do the node's work. What it does outside may happen again under the same activation id."""
        raise NotImplementedError
