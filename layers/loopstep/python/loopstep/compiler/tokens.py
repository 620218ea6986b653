"""How large the token of a plan can get: a bound for every node, so that no run can meet a payload limit.

Ids, numbers and operands have longest forms; the path has a number for each loop and each fan_out over items around.
"""

from __future__ import annotations

from loopstep.compiler.emit_choice import shared
from loopstep.compiler.program import Exit, Program, Step
from loopstep.expressions.to_jsonata import MAX_OPERANDS

RUN = 70  # characters of a run's id
EPOCH = 8  # digits
OPERAND = 67  # an enum member of 64 characters in quotes, with its comma; numbers and null are shorter
BOOLEAN = 6  # `false` and its comma
UNTIL = 40  # a wait's end, with its key
ITEMS = 140  # a fan_out's count and the place of its item list, with their keys
FRAME = len('{"run":"","epoch":,"path":"","node":"","from":"","port":"","edge":"","seen":[]}')


def token_bytes(program: Program, step: Step) -> int:
    """The most bytes that the token has which leaves a step."""
    path = path_length(program, step)
    ids = [len(step.id), max(map(len, step.exits), default=0)]
    ids.append(max((len(exit_.edge) for exits in step.exits.values() for exit_ in exits), default=0))
    extras = (UNTIL if step.pauses else 0) + (ITEMS if step.id in program.fan_outs else 0)
    return FRAME + RUN + EPOCH + 2 * path + sum(ids) + extras + max(map(_seen, step.exits.values()), default=0)


def path_length(program: Program, step: Step) -> int:
    """The most characters of a step's own path."""
    loops = [each.node for each in step.enclosing if each.kind == "loop"] + ([step.id] if step.counts else [])
    highest = [program.steps[loop].spec["loop"]["max"] for loop in loops]
    highest += [program.fan_outs[each.node].max_items - 1 for each in step.enclosing if each.kind == "items"]
    return sum(len(str(number)) + 1 for number in highest)


def _seen(exits: tuple[Exit, ...]) -> int:
    operands = len(shared(exits)[1])
    return operands * (OPERAND if operands <= MAX_OPERANDS else BOOLEAN)
