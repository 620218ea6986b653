"""What stands between a fan_out and its join: Parallel over branches, inline or Distributed Map over items.

A part's last state ends it where the join waits for all. Where the join takes the first ones, every edge into it ends
in `<join>.arrive`, which takes one of n slots, and every failure in `<join>.lost`; both lead to a Choice that stops
the region once it is decided (FRAGMENTS C.5-C.7). The join's Task decides by the records alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopstep.compiler.emit_choice import onward, port_rules
from loopstep.compiler.emit_scope import REPLY, TOKEN, Scope, State, led_to
from loopstep.compiler.emit_step import node_spec, task
from loopstep.compiler.program import FanOut, Step

_LABEL = 40
_PARALLEL_BRANCHES = 8  # more run as a Map over their names: each item of a Map has a context of its own

States = Callable[[Scope], dict[str, State]]


def region_states(scope: Scope, step: Step, states_of: States) -> dict[str, State]:
    """The region's state (and what leads past it), named `<fan_out>.region`."""
    region = scope.program.fan_outs[step.id]
    parts = {part: _part(scope.inside(step.id, part), step, part, region, states_of) for part in region.parts}
    name = f"{step.id}.region"
    if region.kind == "branches":
        form = _parallel if len(parts) <= _PARALLEL_BRANCHES else _branch_map
        return {name: form(step, region, parts)}
    if not region.distributed:
        return {name: _item_map(step, region, parts["item"])}
    return _distributed(scope, step, region, parts["item"])


def _part(scope: Scope, step: Step, part: str, region: FanOut, states_of: States) -> State:
    """One part as a machine. It starts with a Task of the fan_out's function where conditions choose the edge, or
    where the edge leads straight to the join."""
    exits = step.exits[part]
    states: dict[str, State] = {}
    if len(exits) == 1 and exits[0].condition is None and not scope.arrives(exits[0].target):
        start = scope.state_of(exits[0].target)
    else:
        start = f"{step.id}.part.{scope.tag}"
        states[start] = task(scope, step, part_spec(scope, step, part))
        states[start].update(onward(scope, start, list(port_rules(exits)), states))
        if scope.unhandled:
            states[start]["Catch"] = [{"ErrorEquals": ["States.ALL"], "Output": TOKEN, "Next": scope.unhandled}]
    states.update(states_of(scope))
    if region.mode != "all":
        states.update(_race(scope, region, states))
    return {"StartAt": start, "States": states}


def _race(scope: Scope, region: FanOut, states: dict[str, State]) -> dict[str, State]:
    """The slots of a join with mode any or count; only what something leads to (an unreachable state is a fault)."""
    join = scope.program.steps[region.join]
    tag = scope.tag
    used = led_to(states)
    race: dict[str, State] = {}
    for what in ("arrive", "lost"):
        if (name := f"{join.id}.{what}.{tag}") in used:
            race[name] = task(scope, join, race_spec(scope, join, what))
            race[name].update({"Output": REPLY, "Next": f"{join.id}.decided.{tag}"})
            race[name].pop("TimeoutSeconds", None)
    return {
        **race,
        f"{join.id}.decided.{tag}": {
            "Type": "Choice",
            "QueryLanguage": "JSONata",
            "Choices": [{"Condition": "{% $states.input.decided %}", "Next": f"{join.id}.stop.{tag}"}],
            "Default": f"{join.id}.idle.{tag}",
        },
        f"{join.id}.stop.{tag}": {"Type": "Fail", "QueryLanguage": "JSONata", "Error": "Loopstep.Decided"},
        f"{join.id}.idle.{tag}": {"Type": "Pass", "QueryLanguage": "JSONata", "Output": {}, "End": True},
    }


def part_spec(scope: Scope, step: Step, part: str) -> dict[str, Any]:
    """What chooses the edge of one part: the node's spec without its config, its input and the other parts."""
    whole = node_spec(scope, step)
    of_port = {key: {part: whole[key][part]} for key in ("out", "seen") if part in whole.get(key, ())}
    mine = [exit_.edge for exit_ in step.exits[part]]
    arrivals = {edge: whole["to"][edge] for edge in mine if edge in whole.get("to", ())}
    kept: dict[str, Any] = {key: whole[key] for key in ("id", "fence", "regions") if key in whole}
    return {**kept, **of_port, **({"to": arrivals} if arrivals else {}), "part": part}


def race_spec(scope: Scope, join: Step, what: str) -> dict[str, Any]:
    """What counts a part: how many the join takes of how many, and where it stands."""
    whole = node_spec(scope, join)
    counts = {key: value for key, value in whole["join"].items() if key != "merge"}
    kept: dict[str, Any] = {key: whole[key] for key in ("id", "branches", "fence", "regions") if key in whole}
    return {**kept, "join": counts, what: True}


def _ends(region: FanOut) -> State:
    """Both ways out of the region lead to the join with the token that entered it."""
    return {
        "ResultPath": None,
        "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": None, "Next": region.join}],
        "Next": region.join,
    }


def _ends_jsonata(region: FanOut) -> State:
    return {
        "Output": TOKEN,
        "Catch": [{"ErrorEquals": ["States.ALL"], "Output": TOKEN, "Next": region.join}],
        "Next": region.join,
    }


def _parallel(step: Step, region: FanOut, parts: dict[str, State]) -> State:
    return {"Type": "Parallel", "QueryLanguage": "JSONPath", "Branches": list(parts.values()), **_ends(region)}


def _item(path: str) -> State:
    return {
        "run": "{% $states.input.run %}",
        "epoch": "{% $states.input.epoch %}",
        "path": path,
        "node": "{% $states.input.node %}",
        "from": "{% $states.input.from %}",
        "port": "{% $states.input.port %}",
    }


def _branch_map(step: Step, region: FanOut, parts: dict[str, State]) -> State:
    choose = f"{step.id}.branch"
    names = list(parts)
    states: dict[str, Any] = {
        choose: {
            "Type": "Choice",
            "QueryLanguage": "JSONata",
            "Choices": [
                {"Condition": f"{{% $states.input.branch = '{name}' %}}", "Next": parts[name]["StartAt"]}
                for name in names[:-1]
            ],
            "Default": parts[names[-1]]["StartAt"],
        }
    }
    for part in parts.values():
        states.update(part["States"])
    return {
        "Type": "Map",
        "QueryLanguage": "JSONata",
        "Items": names,
        "MaxConcurrency": 40,
        "ItemSelector": {**_item("{% $states.input.path %}"), "branch": "{% $states.context.Map.Item.Value %}"},
        "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": choose, "States": states},
        **_ends_jsonata(region),
    }


def _longer_path(index: str) -> str:
    """The path with one number more, which is read at `index`."""
    return f"{{% $states.input.path = '' ? $string({index}) : $states.input.path & '.' & $string({index}) %}}"


def _item_map(step: Step, region: FanOut, part: State) -> State:
    return {
        "Type": "Map",
        "QueryLanguage": "JSONata",
        "Items": "{% [0..($states.input.n - 1)] %}",
        "MaxConcurrency": region.max_concurrency,
        "ItemSelector": _item(_longer_path("$states.context.Map.Item.Value")),
        "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, **part},
        **_ends_jsonata(region),
    }


def _label(node: str) -> str:
    """Unique in the machine and at most 40 characters, as AWS asks of a Distributed Map."""
    if len(node) <= _LABEL:
        return node
    from hashlib import sha256  # OpenSSL takes milliseconds to load, and few names are so long

    return f"{node[: _LABEL - 9]}_{sha256(node.encode()).hexdigest()[:8]}"


def _distributed(scope: Scope, step: Step, region: FanOut, part: State) -> dict[str, State]:
    """JSONPath outside; the item list holds indexes only; a Choice skips the Map for no items (FRAGMENTS C.5)."""
    name, start = f"{step.id}.region", f"{step.id}.item"
    bucket = scope.names("values_bucket")
    enter = {
        "Type": "Pass",
        "QueryLanguage": "JSONata",
        "Output": _item(_longer_path("$states.input.item")),
        "Next": part["StartAt"],
    }
    return {
        name: {
            "Type": "Choice",
            "QueryLanguage": "JSONata",
            "Choices": [{"Condition": "{% $states.input.n = 0 %}", "Next": region.join}],
            "Default": f"{step.id}.items",
        },
        f"{step.id}.items": {
            "Type": "Map",
            "QueryLanguage": "JSONPath",
            "Label": _label(step.id),
            "ItemReader": {
                "Resource": "arn:aws:states:::s3:getObject",
                "ReaderConfig": {"InputType": "JSON"},
                "Parameters": {"Bucket": bucket, "Key.$": "$.items"},
            },
            "ItemSelector": {
                "run.$": "$.run", "epoch.$": "$.epoch", "path.$": "$.path", "node.$": "$.node", "from.$": "$.from",
                "port.$": "$.port", "item.$": "$$.Map.Item.Value",
            },
            "MaxConcurrency": region.max_concurrency,
            "ToleratedFailureCount": 0,
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                "StartAt": start,
                "States": {start: enter, **part["States"]},
            },
            "ResultWriter": {
                "Resource": "arn:aws:states:::s3:putObject",
                "Parameters": {"Bucket": bucket, "Prefix": "results"},
            },
            **_ends(region),
        },
    }  # fmt: skip
