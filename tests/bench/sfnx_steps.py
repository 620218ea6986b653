"""The same flow for sfnx: as many Lambda tasks, each with its result kept, and an `if` where the plan has a `when`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.linear_plans import has_condition

HEAD = '''\
from typing import TypedDict

from sfnx import aws, state_machine


class Order(TypedDict):
    amount: int
    label: str


@state_machine(timeout=2592000)
def linear(input: Order):
    """A linear plan."""
    total: int = 0
    label: str = ""
'''

NUMBER_STEP = """\
{indent}step_{n}: int = aws.optimized.lambda_.invoke(
{indent}    FunctionName="set_variable", Payload={{"amount": total + {n}}}
{indent})["Payload"]["total"]
{indent}total = step_{n}
"""

TEXT_STEP = """\
{indent}step_{n}: str = aws.optimized.lambda_.invoke(
{indent}    FunctionName="set_variable", Payload={{"label": input["label"]}}
{indent})["Payload"]["label"]
{indent}label = step_{n}
"""

CONDITIONS = ('    if label.startswith("vip"):\n', "    if total >= 3:\n")  # after a text, after a number

END = """\
    done: int = aws.optimized.lambda_.invoke(FunctionName="end", Payload={"total": total})["Payload"]["total"]
    return {"total": done, "label": label}
"""


def sfnx_source(nodes: int) -> str:
    """A module for `sfnx compile` with `nodes` Lambda tasks; conditions as in `linear_plan(nodes)`."""
    return HEAD + "".join(_steps(nodes - 1)) + END


def _steps(steps: int) -> Iterator[str]:
    for n in range(1, steps + 1):
        inside = has_condition(n - 1, steps)
        if inside:
            yield CONDITIONS[(n - 1) % 2]
        yield (NUMBER_STEP if n % 2 else TEXT_STEP).format(n=n, indent="        " if inside else "    ")
