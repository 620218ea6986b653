"""Where a node's token goes next: one Choice over its ports and the conditions of its exits (ARCHITECTURE §2)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from loopstep.compiler.emit_scope import RUN_FAILED, TOKEN, Scope, State
from loopstep.compiler.program import Exit, Step
from loopstep.expressions.to_jsonata import MAX_OPERANDS, Condition

Rule = tuple[str | None, str]  # (condition, node id); without a condition it holds always

BY_CATCH = ("failed", "timed_out")  # ports that an error of the Task leads to
_SEEN = re.compile(r"\$states\.input\.seen\[(\d+)\]")


def by_reply(step: Step) -> dict[str, tuple[Exit, ...]]:
    return {port: exits for port, exits in step.exits.items() if port not in BY_CATCH}


def rules_of(step: Step) -> list[Rule]:
    """Over all ports that the node's reply can name, in order."""
    ports = by_reply(step)
    return [
        rule
        for port, exits in ports.items()
        for rule in port_rules(exits, None if len(ports) == 1 else f"$states.input.port = '{port}'")
    ]


def port_rules(exits: tuple[Exit, ...], test: str | None = None) -> Iterator[Rule]:
    """Conditions read the token's `seen`, where the operands of the port's conditions stand."""
    for exit_ in shared(exits)[0]:
        if exit_.condition is None:
            yield test, exit_.target
            return
        condition = exit_.condition.jsonata
        yield f"{test} and ({condition})" if test else condition, exit_.target


def onward(scope: Scope, name: str, rules: list[Rule], states: dict[str, State]) -> State:
    """`Next` or `End` behind a state of this name; adds the Choice `<name>.next` where it takes one to `states`."""
    if len(rules) > 1 and rules[-1][0] is not None and rules[-1][0].startswith("$states.input.port = "):
        rules = _last_port_as_default(rules)
    if rules and rules[0][0] is None:
        return _goes_to(scope, rules[0][1])
    default = _target(scope, rules[-1][1], states) if rules and rules[-1][0] is None else _none_matched(scope, states)
    choices = [
        {"Condition": f"{{% {condition} %}}", "Next": _target(scope, node, states)}
        for condition, node in rules
        if condition is not None
    ]
    if not choices:
        return {"Next": default}
    states[f"{name}.next"] = {"Type": "Choice", "QueryLanguage": "JSONata", "Choices": choices, "Default": default}
    return {"Next": f"{name}.next"}


def _last_port_as_default(rules: list[Rule]) -> list[Rule]:
    """Where every port has an unconditional edge some edge always matches, and the last rule can be the Default."""
    tests = [condition for condition, _ in rules if condition is not None]
    ports = {test.split(" and ", 1)[0] for test in tests}
    if ports <= set(tests):
        return [*rules[:-1], (None, rules[-1][1])]
    return rules


def _goes_to(scope: Scope, node: str) -> State:
    if not scope.arrives(node):
        return {"Next": scope.state_of(node)}
    return {"Next": scope.arrival} if scope.arrival else {"End": True}


def _target(scope: Scope, node: str, states: dict[str, State]) -> str:
    """As `_goes_to`, for a Choice, which cannot end a part itself."""
    if not scope.arrives(node):
        return scope.state_of(node)
    if scope.arrival:
        return scope.arrival
    name = f"{node}.in.{scope.tag}"
    states[name] = {"Type": "Pass", "QueryLanguage": "JSONata", "Output": TOKEN, "End": True}
    return name


def _none_matched(scope: Scope, states: dict[str, State]) -> str:
    """LANGUAGE §8, `edge.none_matched`: the record says so already; here the run or the branch fails."""
    if scope.unhandled:
        return scope.unhandled
    region = scope.fan_out
    name = f"{region.join if region else RUN_FAILED}.none.{scope.tag}"
    states[name] = {"Type": "Fail", "QueryLanguage": "JSONata", "Error": "edge.none_matched"}
    return name


def shared(exits: tuple[Exit, ...]) -> tuple[tuple[Exit, ...], list[Any]]:
    """A port's exits with their conditions over one list of operands, and that list; equal operands stand once.

    A token stays small (ARCHITECTURE §2): with many operands each condition becomes one, which the node evaluates.
    """
    conditions = [exit_.condition for exit_ in exits if exit_.condition is not None]
    operands = _unique(operand for condition in conditions for operand in condition.operands)
    if len(operands) > MAX_OPERANDS:
        exits = tuple(each._replace(condition=_whole(each.condition)) for each in exits)
        operands = _unique(each.condition.operands[0] for each in exits if each.condition is not None)
    return tuple(each._replace(condition=_over(each.condition, operands)) for each in exits), operands


def _unique(operands: Iterable[Any]) -> list[Any]:
    return list({json.dumps(operand): operand for operand in operands}.values())


def _whole(condition: Condition | None) -> Condition | None:
    if condition is None:
        return None
    tree = _with_seen(condition.residual, condition.operands.__getitem__)
    return Condition("$states.input.seen[0]", (tree,), ["seen", 0])


def _over(condition: Condition | None, operands: list[Any]) -> Condition | None:
    """The condition with its operands' places in the port's list."""
    if condition is None:
        return None
    places = [operands.index(operand) for operand in condition.operands]
    jsonata = _SEEN.sub(lambda found: f"$states.input.seen[{places[int(found[1])]}]", condition.jsonata)
    return Condition(jsonata, condition.operands, _with_seen(condition.residual, lambda index: ["seen", places[index]]))


def _with_seen(residual: Any, operand: Callable[[int], Any]) -> Any:
    """The tree with `operand(i)` for its operand i."""
    if not isinstance(residual, list) or residual[0] == "lit":
        return residual
    if residual[0] == "seen":
        return operand(residual[1])
    return [residual[0], *(_with_seen(part, operand) for part in residual[1:])]
