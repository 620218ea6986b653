"""The hand-written machines that regions and loops are compared with: what one would draw, over one function."""

from __future__ import annotations

from typing import Any

from tests.bench.handwritten_machine import HERE, RETRY

HANDLER = HERE / "regions.py"


def inline_map(function: str, side_by_side: int) -> dict[str, Any]:
    """Open, an inline Map over the item numbers with one Task each, gather, end."""
    region = {
        "Type": "Map",
        "QueryLanguage": "JSONata",
        "Items": "{% [0..($states.input.n - 1)] %}",
        "MaxConcurrency": side_by_side,
        "ItemSelector": {
            "run": "{% $states.input.run %}",
            "epoch": "{% $states.input.epoch %}",
            "path": "{% $string($states.context.Map.Item.Value) %}",
            "node": "{% $states.input.node %}",
            "from": "{% $states.input.from %}",
            "edge": "{% $states.input.edge %}",
        },
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "INLINE"},
            "StartAt": "work",
            "States": {"work": _task(function, "work", "part", join="gather")},
        },
        "Output": "{% $states.input %}",
        "Next": "gather",
    }
    return _over_items(function, region, {})


def distributed_map(function: str, bucket: str, side_by_side: int) -> dict[str, Any]:
    """The same with a Distributed Map, which reads the item numbers from the bucket."""
    region = {
        "Type": "Map",
        "QueryLanguage": "JSONPath",
        "Label": "spread",
        "ItemReader": {
            "Resource": "arn:aws:states:::s3:getObject",
            "ReaderConfig": {"InputType": "JSON"},
            "Parameters": {"Bucket": bucket, "Key.$": "$.items"},
        },
        "ItemSelector": {
            "run.$": "$.run",
            "epoch.$": "$.epoch",
            "path.$": "$$.Map.Item.Value",
            "node.$": "$.node",
            "from.$": "$.from",
            "edge.$": "$.edge",
        },
        "MaxConcurrency": side_by_side,
        "ToleratedFailureCount": 0,
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "work",
            "States": {"work": _task(function, "work", "part", join="gather")},
        },
        "ResultPath": None,
        "Next": "gather",
    }
    return _over_items(function, region, {"distributed": True})


def _over_items(function: str, region: dict[str, Any], opening: dict[str, Any]) -> dict[str, Any]:
    states = {
        "spread": _task(function, "spread", "open", "region", items=True, **opening),
        "region": region,
        "gather": _task(function, "gather", "gather", "done", count=0, path=""),
        "done": _task(function, "done", "end"),
    }
    return {"StartAt": "spread", "States": states}


def parallels(function: str, count: int, opened: bool = True) -> dict[str, Any]:
    """Parallels of three branches one after the other, each opened and gathered by a Task; then the end.

    Without `opened` there is no Task before a Parallel, as nobody needs one who keeps no record of it.
    """
    states: dict[str, Any] = {}
    for n in range(1, count + 1):
        after = f"split_{n + 1}" if n < count else "done"
        if opened:
            states[f"split_{n}"] = _task(function, f"split_{n}", "open", f"region_{n}")
        branches = [_branch(function, f"{each}_{n}", each, f"join_{n}") for each in "abc"]
        name = f"region_{n}" if opened else f"split_{n}"
        region = {"Type": "Parallel", "QueryLanguage": "JSONPath", "Branches": branches, "ResultPath": None}
        states[name] = {**region, "Next": f"join_{n}"}
        states[f"join_{n}"] = _task(function, f"join_{n}", "gather", after, count=3)
    states["done"] = _task(function, "done", "end")
    return {"StartAt": "split_1", "States": states}


def _branch(function: str, name: str, branch: str, join: str) -> dict[str, Any]:
    return {"StartAt": name, "States": {name: _task(function, name, "part", join=join, branch=branch)}}


def loop(function: str, rounds: int, counted: bool = True) -> dict[str, Any]:
    """A loop as AWS's own tutorial draws it: a Task that counts, a Choice, the body, back; then the end.

    Without `counted` only the body's Task runs each time and counts too.
    """
    path = "{% $exists($states.input.next) ? $states.input.next : 0 %}"
    going = "$states.input.port = 'body'" if counted else f"$states.input.next < {rounds}"
    choices = [{"Condition": f"{{% {going} %}}", "Next": "add"}]
    choice = {"Type": "Choice", "QueryLanguage": "JSONata", "Choices": choices}
    states = {
        "next": {**choice, "Default": "done"},
        "add": _task(function, "add", "add", "rounds" if counted else "next", **({} if counted else {"path": path})),
        "done": _task(function, "done", "end", path=""),
    }
    if counted:
        states["rounds"] = _task(function, "rounds", "count", "next", rounds=rounds, path=path)
    return {"StartAt": "rounds" if counted else "add", "States": states}


def _task(function: str, name: str, do: str, then: str = "", **more: Any) -> dict[str, Any]:
    payload = {"token": "{% $states.input %}", "node": name, "edge": f"after_{name}", "do": do, **more}
    return {
        "Type": "Task",
        "QueryLanguage": "JSONata",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": function, "Payload": payload},
        "Output": "{% $states.result.Payload %}",
        "Retry": RETRY,
        **({"Next": then} if then else {"End": True}),
    }
