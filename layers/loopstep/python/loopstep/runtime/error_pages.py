"""The run-time error codes, for people (LANGUAGE §9): what each says, why it comes, what to do. No function loads this.

A callback's error and a failed `end` bring codes of their own; every other code of a run or an activation stands here.
"""

from __future__ import annotations

from typing import NamedTuple

from loopstep.runtime import failures


class ErrorPage(NamedTuple):
    """What happened, the reason, and the way out."""

    title: str
    why: str
    what_to_do: str


ERROR_PAGES: dict[str, ErrorPage] = {
    failures.INPUT_CONTRACT: ErrorPage(
        "A node's input does not satisfy its contract",
        "A value that an edge bound is of the right type, but not within the constraints of the node's `input`, or "
        "comes "
        "from `any` and turns out to be something else.",
        "Look at the activation's `error`: it names the field. Loosen the contract, or check the value before.",
    ),
    failures.OUTPUT_CONTRACT: ErrorPage(
        "What an end or a join delivers does not satisfy the contract of its output",
        "The plan's `output`, or the `output` that the node declares, asks for more than what was bound.",
        "The activation's `error` names the field and what is wrong with it.",
    ),
    failures.STATE_CONTRACT: ErrorPage(
        "An assignment would break the contract of the state",
        "All assignments of a `set_variable` are committed together, and only if the whole new state satisfies its "
        "contract. Nothing was written.",
        "Handle the node's `failed` port, or loosen the field's constraints.",
    ),
    failures.NO_VALUE: ErrorPage(
        "A conversion gives no value",
        "A `convert` met data that it cannot make the target type of, and the binding has no `default`.",
        "Give the binding a `default`, or list the field in the node's `preconditions` for a code of its own.",
    ),
    failures.PRECONDITION_MISSING: ErrorPage(
        "An input that the node asks for in `preconditions` is absent",
        "The field is optional for the checker, and nothing was bound to it, or an absent value was.",
        "Bind it on every way to the node, or take it out of `preconditions`.",
    ),
    failures.PRECONDITION_TYPE: ErrorPage(
        "An input that the node asks for in `preconditions` has the wrong type",
        "The value was there, and its conversion gave none.",
        "Look at the value in the activation before; mend its source, or convert it another way.",
    ),
    failures.RANGE: ErrorPage(
        "A number is not finite or too large",
        "Numbers are finite, and integers at most 2^53 - 1 on either side: what a calculation leaves beyond has no "
        "value.",
        "Guard the calculation, a division by zero for instance, with a condition.",
    ),
    failures.NONE_MATCHED: ErrorPage(
        "No edge of the port matched",
        "All edges of the port have a `when`, and none was true. The node itself is complete.",
        "Add an edge without `when`. The checker warns of such ports with `edge.no_default`.",
    ),
    failures.NODE_TIMEOUT: ErrorPage(
        "An attempt took longer than the node's `timeout`",
        "`timeout` bounds each attempt of a node that acts outside. A declared `retry` tries again.",
        "Give it more time, or more attempts.",
    ),
    failures.NODE_CRASHED: ErrorPage(
        "A node's function ended without an outcome",
        "It died, or its replies were lost, as often as it may try; or a part of a region never came to its end. A "
        "declared `retry` tries again.",
        "Redrive the run: what is complete is not done again. If it happens again, the function's log has the reason.",
    ),
    failures.TOO_MANY: ErrorPage(
        "A fan_out has more items than its `maxItems`",
        "`maxItems` bounds what a run may cost; it is 500 unless the plan says otherwise.",
        "Raise `maxItems` (up to 100,000), or split the items before.",
    ),
    failures.JOIN_NO_WINNER: ErrorPage(
        "Too few parts of a region arrived",
        "With mode `any` or `count` a part that fails is lost. So many were that the rest could not be enough, or "
        "there were fewer items from the start: then no part began.",
        "Look at the failed activations inside the region. A redrive runs the parts again that a node lost, and only "
        "those; what the plan's own failed `end` lost stays lost.",
    ),
    failures.REGION_DECIDED: ErrorPage(
        "The join was decided without this part",
        "A join with mode `any` or `count` had enough arrivals while this activation still waited for an approval or "
        "an answer. It was stopped, since what it would have brought is not needed. No run fails with this code, and "
        "no edge takes it.",
        "Nothing is wrong. Where every part should come to its end, give the join the mode `all`.",
    ),
    failures.WAIT_INVALID: ErrorPage(
        "A wait has no end, or one beyond 365 days",
        "The duration is none, the time has no offset, or the end lies more than a year ahead.",
        "Mend the value; a time that is past is fine and passes at once.",
    ),
    failures.SCOPE_UNKNOWN: ErrorPage(
        "There is no such scope to send to",
        "The value is no text of 1 to 256 characters; or the stack takes registered scopes only (its parameter "
        "`ScopesMustBeRegistered`), and this is none.",
        "Mend the value, or register the scope: `loopstep scopes put`.",
    ),
    failures.SCOPE_LIMIT: ErrorPage(
        "The run has sent as much to this scope as it may",
        "The scope is registered with `maxPerRun`. Messages and requests for approval count alike, each activation "
        "once, however often it is tried or redriven. Nothing was sent.",
        "Look for a loop or a fan_out that sends more than was meant, or raise the scope's `maxPerRun`: that counts "
        "for runs under way within seconds.",
    ),
    failures.VALUE_TOO_LARGE: ErrorPage(
        "A value is larger than 5 MiB",
        "One field of an input, an output or the state has at most 5 MiB of JSON, in UTF-8 bytes.",
        "Hand on a reference to it, or split it into several fields.",
    ),
    "llm.unstructured": ErrorPage(
        "The model's answer does not fit the declared output",
        "Several fields are read from one JSON object, a single one from the whole text. The model was asked twice, "
        "the second time with what was wrong; a required field was still missing or broke its constraints, or there "
        "was no object.",
        "Give the fields a `description`, make those optional that may be missing, or raise `maxTokens` where the "
        "attempt's `usage` says that an answer was cut.",
    ),
    "condition.undecided": ErrorPage(
        "The model did not choose among the conditions",
        "The answer has to be the number of a condition and nothing else. It was anything else twice, `none` included, "
        "and `otherwise` leads nowhere.",
        "Wire `otherwise`, or write conditions that exclude each other and leave nothing out.",
    ),
    "model.refused": ErrorPage(
        "The model refused to answer",
        "A guardrail or the model itself stopped the answer, or the service does not take the request: it is too long, "
        "or this model has no tools. It is not tried again.",
        "Look at the prompt, at the data in it, and at what the named model can do.",
    ),
    "model.unavailable": ErrorPage(
        "The model cannot be reached",
        "It is throttled or overloaded, also after some tries within the attempt; it is not there under this id, or "
        "not enabled for the account and region; or nobody answers. A declared `retry` tries again.",
        "Declare `retry`, or ask for access to the model. The activation's `error` has the service's own name for it.",
    ),
    "agent.limit": ErrorPage(
        "An agent did not finish within its bounds",
        "`maxSteps` bounds its model calls, the stack's parameter `AgentTokens` the tokens of all of them, the "
        "function's time how long it may work, and a conversation has a size. The activation's `error` names the "
        "bound.",
        "Look at the attempt's `usage`: what it called, and what was refused. Raise the bound, or give it a smaller "
        "task.",
    ),
    "source.unavailable": ErrorPage(
        "A knowledge source cannot be read",
        "It does not answer, or is not there any more. A declared `retry` tries again.",
        "Declare `retry`, or register the source again.",
    ),
    failures.RUN_TIMEOUT: ErrorPage(
        "A run took longer than the plan's `timeout`",
        "`timeout` bounds the whole run, 30 days unless the plan says otherwise; its status is `timed_out`.",
        "Redrive it: it has its whole time again, and what is complete is not done again.",
    ),
    failures.RUN_CANCELLED: ErrorPage(
        "The run was cancelled",
        "Somebody cancelled it, or stopped its execution. What its nodes had done stays done.",
        "Start a new run; a cancelled one cannot be redriven.",
    ),
}

# What an execution hears that walks on where it must not: never the code of a run.
INTERNAL = (failures.REGION_DECIDED, failures.RUN_CLOSED)
