"""What one node becomes: its Task, then a Wait, a Choice on ports and conditions, the route of its failure, a Fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from loopstep.compiler.emit_scope import LAMBDA, REPLY, RUN_FAILED, TOKEN, Names, Scope, State, spec_text, text
from loopstep.compiler.program import Exit, Step
from loopstep.expressions.to_jsonata import MAX_OPERANDS, Condition

Rule = tuple[str | None, str]  # (condition, node id); without a condition it holds always

# ARCHITECTURE §3: a settled failure is never tried again; an invocation that Lambda lost is, without counting.
_SETTLED = {"ErrorEquals": ["Loopstep.Failed", "Loopstep.TimedOut"], "MaxAttempts": 0}
_LOST = {
    "ErrorEquals": [
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
        "Lambda.TooManyRequestsException",
    ],
    "IntervalSeconds": 1,
    "MaxAttempts": 5,
    "BackoffRate": 2.0,
    "MaxDelaySeconds": 20,
    "JitterStrategy": "FULL",
}
_BY_CATCH = ("failed", "timed_out")  # ports that an error of the Task leads to
_SEEN = re.compile(r"\$states\.input\.seen\[(\d+)\]")


def step_states(scope: Scope, step: Step, name: str | None = None) -> dict[str, State]:
    """All states of one step, its Task first; `name` where it is not the step's id (a copy of a shared end)."""
    name = name or step.id
    states: dict[str, State] = {name: task(scope, step)}
    first = states[name]
    catchers = list(_catchers(scope, step, states))
    if catchers:
        first["Catch"] = catchers
    if step.fail_code is not None:
        first["Next"] = _failed_end(scope, step, name, states)
    elif step.id in scope.program.fan_outs:
        first["Next"] = f"{step.id}.region"
    elif step.pauses:
        first["Next"] = f"{name}.wait"
        wait = {"Type": "Wait", "QueryLanguage": "JSONPath", "TimestampPath": "$.until"}
        states[f"{name}.wait"] = {**wait, **onward(scope, name, _rules(step), states)}
    elif _by_reply(step):
        first.update(onward(scope, name, _rules(step), states))
    else:
        first["End"] = True
    return states


def task(scope: Scope, step: Step, **more: Any) -> State:
    """The Task that invokes the step's function; under a task token where it waits for an answer (FRAGMENTS C.3)."""
    payload = {"token": TOKEN, "spec": spec_text({**node_spec(scope, step), **more})}
    waits = step.wait is not None and not more
    if waits:
        payload["taskToken"] = "{% $states.context.Task.Token %}"
    return {
        "Type": "Task",
        "QueryLanguage": "JSONata",
        "Comment": f"line {step.line}",
        "Resource": LAMBDA + (".waitForTaskToken" if waits else ""),
        "Arguments": {"FunctionName": scope.names(step.type), "Payload": payload},
        **({} if waits else {"Output": REPLY}),
        **({"TimeoutSeconds": step.wait if waits else step.timeout} if waits or step.timeout else {}),
        "Retry": _retriers(step),
    }


def node_spec(scope: Scope, step: Step) -> dict[str, Any]:
    """The step's spec with its exits: `out` (edges and conditions by port), `seen` (the conditions' operands by port),
    `to` (what an edge into the join of the region brings), `regions` (emit_scope.Scope.regions), `enter`.
    """
    spec = dict(step.spec)
    out: dict[str, list[Any]] = {}
    seen: dict[str, list[Any]] = {}
    arrivals: dict[str, Any] = {}
    for port, exits in step.exits.items():
        exits, operands = shared(exits)
        out[port] = []
        for exit_ in exits:
            out[port].append([exit_.edge, *([exit_.condition.residual] if exit_.condition else [])])
            if scope.arrives(exit_.target):
                join = scope.program.steps[exit_.target].spec
                arrivals[exit_.edge] = {"in": join.get("in", {}).get(exit_.edge, {}), "input": join.get("input", {})}
        if operands:
            seen[port] = operands
    region: dict[str, Any] = {
        "fence": bool(scope.chain),
        "regions": scope.regions(),
        "enter": _entering_edge(scope, step),
    }
    region["branches"] = _branches_joined(scope, step)
    more = {"out": out, "seen": seen, "to": arrivals, **region}
    return spec | {key: value for key, value in more.items() if value}


def _branches_joined(scope: Scope, step: Step) -> list[str]:
    """For a join over branches: their names, in order."""
    for region in scope.program.fan_outs.values():
        if region.join == step.id and region.kind == "branches":
            return list(region.parts)
    return []


def _entering_edge(scope: Scope, step: Step) -> str:
    """The edge by which a region's part begins at this step: the token that enters a region names none."""
    if not scope.chain:
        return ""
    fan_out, part = scope.chain[-1]
    first = scope.program.steps[fan_out].exits[part][0]
    return first.edge if first.target == step.id and first.condition is None else ""


def shared(exits: tuple[Exit, ...]) -> tuple[tuple[Exit, ...], list[Any]]:
    """A port's exits with their conditions over one list of operands, and that list; equal operands stand once.

    A token stays small (ARCHITECTURE §2): with many operands each condition becomes one, which the node evaluates.
    """
    conditions = [exit_.condition for exit_ in exits if exit_.condition is not None]
    operands = _unique(operand for condition in conditions for operand in condition.operands)
    if len(operands) > MAX_OPERANDS:
        exits = tuple(replace(each, condition=_whole(each.condition)) for each in exits)
        operands = _unique(each.condition.operands[0] for each in exits if each.condition is not None)
    return tuple(replace(each, condition=_over(each.condition, operands)) for each in exits), operands


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


# -- where the token goes next ---------------------------------------------------------------------------------------


def _by_reply(step: Step) -> dict[str, tuple[Exit, ...]]:
    return {port: exits for port, exits in step.exits.items() if port not in _BY_CATCH}


def _rules(step: Step) -> list[Rule]:
    """Over all ports that the node's reply can name, in order."""
    ports = _by_reply(step)
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


# -- failures --------------------------------------------------------------------------------------------------------


def _retriers(step: Step) -> list[State]:
    """One try more than may act: the last invocation only closes the record (ARCHITECTURE §3)."""
    retry = step.retry
    again: State = {
        "ErrorEquals": ["States.Timeout", "States.TaskFailed"],
        "IntervalSeconds": retry.backoff if retry else 1,
        "MaxAttempts": retry.max_attempts if retry else 1,
        "BackoffRate": float(retry.factor) if retry else 2.0,
    }
    if retry and retry.max_backoff is not None:
        again["MaxDelaySeconds"] = retry.max_backoff
    return [_SETTLED, _LOST, again]


def _catchers(scope: Scope, step: Step, states: dict[str, State]) -> Iterator[State]:
    if step.wait is not None:
        yield _catcher(scope, step, "timed_out", ["Loopstep.TimedOut"], states)
    if step.exits.get("failed") or (scope.unhandled and (scope.chain or step.fail_code is None)):
        yield _catcher(scope, step, "failed", ["States.ALL"], states)


def _catcher(scope: Scope, step: Step, port: str, errors: list[str], states: dict[str, State]) -> State:
    """Straight to the edge's target; by way of the node's own function where the recorded failure decides (C.4)."""
    exits = step.exits.get(port, ())
    if len(exits) == 1 and exits[0].condition is None and not step.counts and not scope.arrives(exits[0].target):
        target = scope.state_of(exits[0].target)
        return {"ErrorEquals": errors, "Output": _left(step.id, port, exits[0].edge), "Next": target}
    if not exits and not step.counts and scope.unhandled:
        return {"ErrorEquals": errors, "Output": _left(step.id, port, ""), "Next": scope.unhandled}
    name = f"{step.id}.{port}"
    route = task(scope, step, route=port)
    route.pop("TimeoutSeconds", None)
    route.update(onward(scope, name, list(port_rules(exits)), states))
    if scope.unhandled and scope.chain:
        route["Catch"] = [{"ErrorEquals": ["States.ALL"], "Output": _left(step.id, port, ""), "Next": scope.unhandled}]
    states[name] = route
    return {"ErrorEquals": errors, "Output": TOKEN, "Next": name}


def _left(node: str, port: str, edge: str) -> State:
    return {
        "run": "{% $states.input.run %}",
        "epoch": "{% $states.input.epoch %}",
        "path": "{% $states.input.path %}",
        "node": node,
        "from": "{% $states.input.path %}",
        "port": port,
        "edge": edge,
    }


def _failed_end(scope: Scope, step: Step, name: str, states: dict[str, State]) -> str:
    """The run fails with the end's code; inside a region the branch does (LANGUAGE §7, end)."""
    if scope.chain and scope.unhandled:
        return scope.unhandled
    states[f"{name}.fail"] = {"Type": "Fail", "QueryLanguage": "JSONata", "Error": text(step.fail_code or "")}
    return f"{name}.fail"


def close_run(names: Names) -> dict[str, State]:
    """Closes the run with the failure that nothing handled, then fails the execution with its code."""
    again = {"ErrorEquals": ["States.TaskFailed"], "IntervalSeconds": 1, "MaxAttempts": 3, "BackoffRate": 2.0}
    return {
        RUN_FAILED: {
            "Type": "Task",
            "QueryLanguage": "JSONata",
            "Resource": LAMBDA,
            "Arguments": {"FunctionName": names("close_run"), "Payload": {"token": TOKEN}},
            "Output": REPLY,
            "Retry": [_SETTLED, _LOST, again],
            "Next": f"{RUN_FAILED}.fail",
        },
        f"{RUN_FAILED}.fail": {"Type": "Fail", "QueryLanguage": "JSONata", "Error": "{% $states.input.code %}"},
    }
