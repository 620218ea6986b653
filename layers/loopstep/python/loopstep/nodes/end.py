"""`end`: ends the Run, or as a failed one its branch (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loopstep.nodes.field import CHOICE, TEXT, Field
from loopstep.nodes.node_type import END as ROLE
from loopstep.nodes.node_type import INVALID_VALUE, MISSING_FIELD, Exits, NodeType, Problem, fields_json

if TYPE_CHECKING:
    from loopstep.nodes.node_type import Lower, NodeView
    from loopstep.types.schema import Fields

SUCCEEDED, FAILED = "succeeded", "failed"
MAX_CODE = 128  # characters

_NONE = Exits((), exempt=())


def contract(node: NodeView, plan_output: Fields) -> Fields:
    """A succeeded end's input is the plan's output; its own, where declared, is checked against that."""
    if node.input is None:
        return plan_output if node.config.get("outcome") == SUCCEEDED else {}
    return node.input


def problems(node: NodeView) -> Iterator[Problem]:
    """A failed end has a code, a succeeded one none."""
    outcome, code = node.config.get("outcome"), node.config.get("code")
    if outcome == FAILED and not node.stands("code"):
        hint = "name what went wrong, as `code: payment_refused`"
        yield Problem(MISSING_FIELD, ("end",), "a failed end needs a `code`", hint)
    elif outcome == SUCCEEDED and node.stands("code"):
        yield Problem(INVALID_VALUE, ("end", "code"), "a succeeded end has no `code`", "set `outcome: failed`")
    if code is not None and not is_code(code):
        message = (
            f"a code is a text of 1 to {MAX_CODE} visible characters that does not begin with `States.` or `Loopstep.`"
        )
        yield Problem(INVALID_VALUE, ("end", "code"), message)


def is_code(code: str) -> bool:
    """Whether a text can be the code of a failure: a Fail state's Error, and stable in logs and listings."""
    return (
        len(code) <= MAX_CODE
        and code.isprintable()
        and " " not in code
        and not code.startswith(("States.", "Loopstep."))
    )


def spec(node: NodeView, lower: Lower) -> dict[str, Any]:
    """How it ends; `output` where the plan's contract stands beside an input of the end's own."""
    if node.config["outcome"] == FAILED:
        return {"outcome": FAILED, "code": node.config["code"]}
    return {"output": fields_json(lower.plan_output)} if node.input is not None else {}


END = NodeType(
    name="end",
    config_key="end",
    summary="Ends the Run: succeeded with its input as the plan's output, or failed with a code.",
    ports="–",
    exposes="–",
    fields=(
        Field("outcome", CHOICE, "How the Run ends.", required=True, choices=(SUCCEEDED, FAILED)),
        Field(
            "code",
            TEXT,
            "The Run's error code; with failed.",
            only_with=("outcome", FAILED),
            needed_with=True,
        ),
    ),
    exits=lambda node: _NONE,
    spec=spec,
    role=ROLE,
    problems=problems,
    contract=contract,
)
