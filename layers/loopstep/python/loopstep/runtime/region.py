"""An activation inside fan_outs' regions: where it stands, and what it brings to the join (LANGUAGE §8)."""

from __future__ import annotations

from typing import Any

from loopstep.expressions.evaluate import NoValue, RangeFault
from loopstep.runs.keys import activation_id
from loopstep.runs.records import Failure
from loopstep.runs.regions import Brought, Membership
from loopstep.runtime.failures import INPUT_CONTRACT, NO_VALUE, RANGE, sentences
from loopstep.runtime.spec import Spec
from loopstep.types.conform import conform_fields

ALL = "all"


def memberships(spec: Spec, path: str) -> tuple[Membership, ...]:
    """The regions around the activation at a path, outermost first."""
    found = []
    steps = path.split(".") if path else []
    for region in spec.regions:
        join = activation_id(region.join, ".".join(steps[: region.depth]))
        found.append(Membership(join, region.branch or steps[region.depth], region.mode))
    return tuple(found)


def item_number(path: str, left: str) -> int:
    """Which element a part over items is for: the number that its path has beyond the fan_out's."""
    depth = len(left.split(".")) if left else 0
    return int(path.split(".")[depth])


def brought(spec: Spec, member: Membership, edge: str | None, data: dict[str, Any]) -> Brought | None:
    """What leaving through an edge brings to the join; None for an edge that does not lead there."""
    brings = spec.brings.get(edge or "")
    if brings is None or edge is None:
        return None
    part = f"item {member.part}" if member.part.isdecimal() else f"branch {member.part}"

    def refused(code: str, why: str) -> Brought:
        return Brought(member, edge, None, Failure(code, f"what {spec.node} of {part} brings: {why}"))

    values: dict[str, Any] = {}
    field = ""
    try:
        for field, binding in brings.bindings.items():
            if (value := binding(data)) is not None:
                values[field] = value
    except RangeFault as fault:
        return refused(RANGE, str(fault))
    except NoValue as fault:
        return refused(NO_VALUE, f"{field}: {fault.said}")
    checked, problems = conform_fields(values, brings.fields)
    if problems:
        return refused(INPUT_CONTRACT, sentences(problems))
    return Brought(member, edge, checked)
