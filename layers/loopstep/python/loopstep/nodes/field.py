"""The config fields a node type declares (LANGUAGE §7): what each holds, and what it may read."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.types.schema import Schema

# What a field holds. In brackets: its parsed form in `Node.config`.
VALUE = "value"  # a ValueExpr, typed by `schema` [ValueExpr]
TEMPLATE = "template"  # a text with {{ }} [Template]
CONDITION = "condition"  # a boolean expression [Expr]
CHOICE = "choice"  # one of `choices` [str]
FLAG = "flag"  # [bool]
INTEGER = "integer"  # from `low` to `high` [int]
NUMBER = "number"  # from `low` to `high` [int or float]
DURATION = "duration"  # at least a second [whole seconds, rounded up: int]
TEXT = "text"  # not empty [str]
TEXTS = "texts"  # a list of texts, one or more unless it `may_be_empty` [tuple of str]
NAMES = "names"  # a list of branch names, one or more, each once [tuple of str]
CONTEXT = "context"  # none | input | a list of inputs [tuple of input names]
ASSIGNMENTS = "assignments"  # [tuple of Assignment]
MERGE = "merge"  # a map of ValueExpr, typed by the node's output [dict of ValueExpr]
QUESTIONS = "questions"  # a list of {expression: template}, one or more [tuple of Template]

# What a field's expressions may read beside plan and state (LANGUAGE §5).
OWN_INPUT = "input"  # the activation's input
WHILE = "while"  # that, and the loop's counters as of the iteration it would begin
ARRIVALS = "arrivals"  # items, branches, winner


class Field(NamedTuple):
    """One config field. `default` is the parsed form that stands where the field is left out; None: nothing does."""

    name: str
    kind: str
    summary: str
    required: bool = False
    default: Any = None
    schema: Schema | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    reads: str = OWN_INPUT
    may_be_empty: bool = False  # of texts: an empty list says "none", not the same as leaving the field out
    registry: str = ""  # "agent" or "skill": its text names an entry of the stack's registry
    only_with: tuple[str, str] | None = None  # (another field, its choice) beside which alone it may stand
    needed_with: bool = False  # and then it has to


def context() -> Field:
    """What of the activation's input the model is shown (CANVAS §2)."""
    return Field("context", CONTEXT, "Inputs shown to the model: none, all of them, or those listed.", default=())


def missing() -> Field:
    """What `{{ }}` shows for an absent value; `keep` leaves `{{name}}` and gives no warning (LANGUAGE §7)."""
    text = "What `{{ }}` shows for an absent value: nothing, or the placeholder itself."
    return Field("missing", CHOICE, text, choices=("empty", "keep"), default="empty")


def hermes() -> Field:
    """One model call, or the loop with tools (CANVAS §3.3)."""
    return Field("hermes", FLAG, "Whether the model may call tools until it answers.", default=False)


def max_steps() -> Field:
    """CANVAS §3.3: beyond it the node fails with `agent.limit`."""
    return Field("maxSteps", INTEGER, "Most turns of the tool loop.", default=12, low=1, high=100)
