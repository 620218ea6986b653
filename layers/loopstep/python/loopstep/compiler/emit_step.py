"""What one node becomes: its Task, then a Wait, a Choice on ports and conditions, the route of its failure, a Fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loopstep.compiler.emit_choice import by_reply, onward, port_rules, rules_of, shared
from loopstep.compiler.emit_scope import LAMBDA, REPLY, RUN_FAILED, TOKEN, Names, Scope, State, spec_text, text
from loopstep.compiler.program import Step

# Seconds between a node's timeout and the engine's: the engine counts a cold start (up to 10 seconds of Lambda's init,
# and another try of it), the read before the attempt and the write after it.
TIMEOUT_SLACK = 30

# What is left out has the language's default: IntervalSeconds 1, BackoffRate 2.0.
# ARCHITECTURE §3: a settled failure is never tried again; an invocation that Lambda lost is, without counting.
_FAILED = {"ErrorEquals": ["Loopstep.Failed"], "MaxAttempts": 0}
_FAILED_OR_TIMED_OUT = {"ErrorEquals": ["Loopstep.Failed", "Loopstep.TimedOut"], "MaxAttempts": 0}
_LOST = {
    "ErrorEquals": [
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
        "Lambda.TooManyRequestsException",
    ],
    "MaxAttempts": 5,
    "JitterStrategy": "FULL",
}


def step_states(scope: Scope, step: Step, name: str | None = None) -> dict[str, State]:
    """All states of one step, its Task first; `name` where it is not the step's id (a copy of a shared end)."""
    name = name or step.id
    copy = int(name.rpartition(".")[2]) if name != step.id else 0
    states: dict[str, State] = {
        name: task(scope, step, {**node_spec(scope, step), "copy": copy} if copy else None),
    }
    first = states[name]
    catchers = list(_catchers(scope, step, states, copy))
    if catchers:
        first["Catch"] = catchers
    if step.fail_code is not None:
        first["Next"] = _failed_end(scope, step, name, states)
    elif step.id in scope.program.fan_outs:
        first["Next"] = f"{step.id}.region"
    elif step.pauses:
        first["Next"] = f"{name}.wait"
        wait = {"Type": "Wait", "QueryLanguage": "JSONPath", "TimestampPath": "$.until"}
        states[f"{name}.wait"] = {**wait, **onward(scope, name, rules_of(step), states)}
    elif by_reply(step):
        first.update(onward(scope, name, rules_of(step), states))
    else:
        first["End"] = True
    return states


def task(scope: Scope, step: Step, spec: dict[str, Any] | None = None) -> State:
    """The Task that invokes the step's function; under a task token where it waits for an answer (FRAGMENTS C.3).

    With a `spec` of its own it is one more Task of that function, which never waits.
    """
    payload = {"token": TOKEN, "spec": spec_text(node_spec(scope, step) if spec is None else spec)}
    waits = step.wait is not None and spec is None
    if waits:
        payload["taskToken"] = "{% $states.context.Task.Token %}"
    return {
        "Type": "Task",
        "QueryLanguage": "JSONata",
        "Comment": f"line {step.line}",
        "Resource": LAMBDA + (".waitForTaskToken" if waits else ""),
        "Arguments": {"FunctionName": scope.names(step.type), "Payload": payload},
        **({} if waits else {"Output": REPLY}),
        **_engine_timeout(step, waits),
        "Retry": _retriers(step),
    }


def _engine_timeout(step: Step, waits: bool) -> dict[str, int]:
    """When the engine gives an invocation up. A wait ends to the second; an attempt is ended by its function, so the
    engine's time is longer, and bounds a function that hangs.
    """
    if waits:
        return {"TimeoutSeconds": step.wait or 0}
    return {"TimeoutSeconds": step.timeout + TIMEOUT_SLACK} if step.timeout else {}


def node_spec(scope: Scope, step: Step) -> dict[str, Any]:
    """The step's spec with its exits: `out` (edges and conditions by port), `seen` (the conditions' operands by port),
    `to` (what an edge into the join of the region brings), `regions` (emit_scope.Scope.regions), `enter`; of a fan_out
    whether its items are `distributed`, and how many the join `needs`.
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
    fan_out = scope.program.fan_outs.get(step.id)
    region["distributed"] = fan_out is not None and fan_out.distributed
    region["needs"] = fan_out.needed if fan_out is not None else 0
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


# -- failures --------------------------------------------------------------------------------------------------------


def _retriers(step: Step) -> list[State]:
    """One try more than may act: the last invocation only closes the record (ARCHITECTURE §3)."""
    timed = step.wait is not None or step.timeout is not None
    again: State = {"ErrorEquals": ["States.Timeout", "States.TaskFailed"] if timed else ["States.TaskFailed"]}
    retry = step.retry
    if retry and retry.backoff != 1:
        again["IntervalSeconds"] = retry.backoff
    again["MaxAttempts"] = retry.max_attempts if retry else 1
    if retry and retry.factor != 2:
        again["BackoffRate"] = float(retry.factor)
    if retry and retry.max_backoff is not None:
        again["MaxDelaySeconds"] = retry.max_backoff
    return [_FAILED if step.wait is None else _FAILED_OR_TIMED_OUT, _LOST, again]


def _catchers(scope: Scope, step: Step, states: dict[str, State], copy: int) -> Iterator[State]:
    if step.wait is not None:
        yield _catcher(scope, step, "timed_out", ["Loopstep.TimedOut"], states)
    if step.exits.get("failed") or (scope.unhandled and (scope.chain or step.fail_code is None)):
        yield _catcher(scope, step, "failed", ["States.ALL"], states, copy)


def _catcher(scope: Scope, step: Step, port: str, errors: list[str], states: dict[str, State], copy: int = 0) -> State:
    """Straight to the edge's target; by way of the node's own function where the recorded failure decides (C.4)."""
    exits = step.exits.get(port, ())
    if len(exits) == 1 and exits[0].condition is None and not step.counts and not scope.arrives(exits[0].target):
        target = scope.state_of(exits[0].target)
        return {"ErrorEquals": errors, "Output": _left(step.id, port, exits[0].edge), "Next": target}
    if not exits and not step.counts and scope.unhandled == RUN_FAILED:
        return {"ErrorEquals": errors, "Output": {"node": step.id, "token": TOKEN}, "Next": RUN_FAILED}
    if not exits and not step.counts and scope.unhandled:
        return {"ErrorEquals": errors, "Output": _left(step.id, port, "", copy), "Next": scope.unhandled}
    name = f"{step.id}.{port}"
    route = task(scope, step, {**node_spec(scope, step), "route": port})
    route.pop("TimeoutSeconds", None)
    route.update(onward(scope, name, list(port_rules(exits)), states))
    if scope.unhandled and scope.chain:
        route["Catch"] = [{"ErrorEquals": ["States.ALL"], "Output": _left(step.id, port, ""), "Next": scope.unhandled}]
    states[name] = route
    return {"ErrorEquals": errors, "Output": TOKEN, "Next": name}


def _left(node: str, port: str, edge: str, copy: int = 0) -> State:
    """The token behind a Catch. `from` is the path of the activation left: of a copied end it has one number more."""
    left = "$states.input.path"
    if copy:
        left = f"$states.input.path = '' ? '-{copy}' : $states.input.path & '.-{copy}'"
    return {
        "run": "{% $states.input.run %}",
        "epoch": "{% $states.input.epoch %}",
        "path": "{% $states.input.path %}",
        "node": node,
        "from": f"{{% {left} %}}",
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
    again = {"ErrorEquals": ["States.TaskFailed"], "MaxAttempts": 3}
    return {
        RUN_FAILED: {
            "Type": "Task",
            "QueryLanguage": "JSONata",
            "Resource": LAMBDA,
            "Arguments": {"FunctionName": names("close_run"), "Payload": {"token": TOKEN}},
            "Output": REPLY,
            "Retry": [_FAILED, _LOST, again],
            "Next": f"{RUN_FAILED}.fail",
        },
        f"{RUN_FAILED}.fail": {"Type": "Fail", "QueryLanguage": "JSONata", "Error": "{% $states.input.code %}"},
    }
