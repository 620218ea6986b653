"""Map in distributed mode: each item is a child execution with a history of its own; thresholds stop the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import history, regions, sizes, stopping
from .data import is_jsonata
from .emulated import Failure, s3, sfn

Step = tuple[Any, str | None]
CONCURRENCY = 64  # threads; AWS allows 10,000 children at a time
COUNTS = (
    "pending",
    "running",
    "succeeded",
    "failed",
    "timedOut",
    "aborted",
    "total",
    "resultsWritten",
    "failuresNotRedrivable",
    "pendingRedrive",
)


def mapped(state: Any, data: Any, execution: Any, ctx: Any) -> Step:
    """Run the children; States.ExceedToleratedFailureThreshold as soon as more of them failed than is tolerated."""
    if "ItemBatcher" in state:
        raise Failure("States.Runtime", "ItemBatcher is not part of the local cloud")
    values = _items(state, data, ctx)
    run = _open(state, data, execution, ctx, len(values))
    history.add(execution, "MapStateStarted", mapStateStartedEventDetails={"length": len(values)})
    history.add(execution, "MapRunStarted", mapRunStartedEventDetails={"mapRunArn": run["mapRunArn"]})
    children: list[dict[str, Any]] = []
    tolerated = _tolerated(state, data, ctx, len(values))
    jobs = [_child(state, data, execution, ctx, run, tolerated, children, *pair) for pair in enumerate(values)]
    workers = min(regions.concurrency(state, data, ctx) or CONCURRENCY, CONCURRENCY)
    try:
        results = regions.together(jobs, workers)
    except Failure:
        _close(run, "FAILED")
        _abort(run, children)
        history.add(execution, "MapRunFailed")
        history.add(execution, "MapStateFailed")
        raise
    except stopping.Stopped:
        _close(run, "ABORTED")
        _abort(run, children)
        raise
    _close(run, "SUCCEEDED")
    history.add(execution, "MapRunSucceeded")
    history.add(execution, "MapStateSucceeded")
    result: Any = results
    if "ResultWriter" in state:
        result = _written(state["ResultWriter"], data, ctx, run, children)
    return regions.finished(state, data, ctx, sizes.hold(result, ctx["State"]["Name"], "returned a result"))


def _items(state: Any, data: Any, ctx: Any) -> list[Any]:
    reader = state.get("ItemReader")
    if not reader:
        return regions.items(state, data, ctx)
    if is_jsonata(state, ctx):
        reader = sfn._apply_jsonata_template(reader, data, ctx)
    found = sfn._read_map_items(reader, sfn._apply_input_path(state, data, ctx), ctx)
    if not isinstance(found, list):
        raise Failure("States.ItemReaderFailed", "Attempting to map over non-iterable node.")
    return found


def _tolerated(state: Any, data: Any, ctx: Any, total: int) -> float:
    """How many children may fail: the smaller of the two thresholds, none without one (Map, failure thresholds)."""

    def given(field: str) -> float | None:
        if f"{field}Path" in state:
            return float(sfn._resolve_path_or_ctx(state[f"{field}Path"], data, ctx))
        return float(sfn._jsonata_state_field(state, field, "number", data, ctx)) if field in state else None

    count, percentage = given("ToleratedFailureCount"), given("ToleratedFailurePercentage")
    limits = [count] if count is not None else []
    limits += [percentage * total / 100] if percentage is not None else []
    return min(limits, default=0)


def _open(state: Any, data: Any, execution: Any, ctx: Any, total: int) -> dict[str, Any]:
    """A Map Run, as ListMapRuns and DescribeMapRun tell of it."""
    label = state.get("Label") or sfn.new_uuid()
    name, machine = (
        f"{ctx['StateMachine']['Name']}/{label}",
        execution["stateMachineArn"].rpartition(":stateMachine:")[0],
    )
    counts = {**dict.fromkeys(COUNTS, 0), "total": total, "pending": total}
    run = {
        "mapRunArn": f"{machine}:mapRun:{name}:{sfn.new_uuid()}",
        "executionArn": execution["executionArn"],
        "status": "RUNNING",
        "startDate": sfn.now_iso(),
        "maxConcurrency": regions.concurrency(state, data, ctx),
        "toleratedFailurePercentage": state.get("ToleratedFailurePercentage", 0),
        "toleratedFailureCount": state.get("ToleratedFailureCount", 0),
        "itemCounts": counts,
        "executionCounts": dict(counts),
        "redriveCount": 0,
        "_stateMachineArn": f"{machine}:stateMachine:{name}",
    }
    sfn._map_runs[run["mapRunArn"]] = run
    return run


def _close(run: dict[str, Any], status: str) -> None:
    run.update(status=status, stopDate=sfn.now_iso())


def _abort(run: dict[str, Any], children: list[dict[str, Any]]) -> None:
    """Children that were under way when the rest was stopped."""
    for child in children:
        if child["status"] == "RUNNING":
            child.update(status="ABORTED", stopDate=sfn.now_iso())
            _count(run, "running", "aborted")


_counting = threading.Lock()


def _count(run: dict[str, Any], before: str, after: str) -> None:
    with _counting:
        for counts in (run["itemCounts"], run["executionCounts"]):
            counts[before] -= 1
            counts[after] += 1


def _child(
    state: Any,
    data: Any,
    execution: Any,
    ctx: Any,
    run: dict[str, Any],
    tolerated: float,
    children: list[dict[str, Any]],
    index: int,
    value: Any,
) -> Callable[[], Any]:
    """One item: variables of the parent are not seen, Map.Item belongs to the ItemSelector, the context is its own."""
    processor = state.get("ItemProcessor") or state["Iterator"]

    def work() -> Any:
        selecting = regions.branch_context(ctx, Map={"Item": {"Index": index, "Value": value}})
        given = regions.item_input(state, data, selecting, value)
        child = _execution(run, execution, given)
        children.append(child)
        history.begin()
        sfn._executions[child["executionArn"]] = child
        _count(run, "pending", "running")
        own = {"Id": child["executionArn"], "Input": given, "Name": child["name"], "StartTime": child["startDate"]}
        inner = {**ctx, "State": {}, "variables": {}, "Execution": {**ctx["Execution"], **own}}
        inner.pop("Map", None)
        result = None
        try:
            sizes.hold(given, ctx["State"]["Name"], "was given an input")
            result = sfn._run_sub_machine(processor["States"], processor["StartAt"], given, child, inner)
        except Failure as failure:
            if history.end(child, "FAILED", None, failure.error, failure.cause):
                _count(run, "running", "failed")
        else:
            if history.end(child, "SUCCEEDED", result):
                _count(run, "running", "succeeded")
        if run["executionCounts"]["failed"] > tolerated:
            text = "The specified tolerated failure threshold was exceeded"
            raise Failure("States.ExceedToleratedFailureThreshold", text)
        return result

    return work


def _execution(run: dict[str, Any], parent: dict[str, Any], given: Any) -> dict[str, Any]:
    name, started, text = sfn.new_uuid(), sfn.now_iso(), sizes.text_of(given)
    details = {"input": text, "roleArn": parent["events"][0]["executionStartedEventDetails"]["roleArn"]}
    return {
        "executionArn": run["_stateMachineArn"].replace(":stateMachine:", ":execution:") + f":{name}",
        "stateMachineArn": run["_stateMachineArn"],
        "name": name,
        "status": "RUNNING",
        "startDate": started,
        "stopDate": None,
        "input": text,
        "inputDetails": {"included": True},
        "output": None,
        "outputDetails": {"included": True},
        "mapRunArn": run["mapRunArn"],
        "events": [
            {"id": 1, "type": "ExecutionStarted", "timestamp": started, "executionStartedEventDetails": details}
        ],
        "testCase": parent.get("testCase"),
        "mockAttempts": {},
    }


def _written(writer: Any, data: Any, ctx: Any, run: dict[str, Any], children: list[dict[str, Any]]) -> dict[str, Any]:
    """ResultWriter: results and manifest go to S3, the result says where (Map, ResultWriter)."""
    template = writer.get("Arguments") or writer.get("Parameters") or {}
    place = sfn._apply_jsonata_template(template, data, ctx) if "Arguments" in writer else template
    place = sfn._resolve_params_obj(place, data, ctx) if "Parameters" in writer else place
    folder = f"{place.get('Prefix', '').rstrip('/')}/{run['mapRunArn'].rpartition(':')[2]}".lstrip("/")
    files: dict[str, list[dict[str, Any]]] = {"FAILED": [], "PENDING": [], "SUCCEEDED": []}
    for status, listed in files.items():
        rows = [_row(child) for child in children if child["status"] == status]
        if rows:
            key = f"{folder}/{status}_0.json"
            listed.append({"Key": key, "Size": _put(place["Bucket"], key, rows)})
    manifest = {"DestinationBucket": place["Bucket"], "MapRunArn": run["mapRunArn"], "ResultFiles": files}
    _put(place["Bucket"], f"{folder}/manifest.json", manifest)
    details = {"Bucket": place["Bucket"], "Key": f"{folder}/manifest.json"}
    return {"MapRunArn": run["mapRunArn"], "ResultWriterDetails": details}


def _row(child: dict[str, Any]) -> dict[str, Any]:
    shown = {
        "ExecutionArn": child["executionArn"],
        "Input": child["input"],
        "Name": child["name"],
        "Output": child["output"],
        "Error": child.get("error"),
        "Cause": child.get("cause"),
        "StartDate": child["startDate"],
        "StateMachineArn": child["stateMachineArn"],
        "Status": child["status"],
        "StopDate": child["stopDate"],
    }
    return {name: value for name, value in shown.items() if value is not None}


def _put(bucket: str, key: str, value: Any) -> int:
    body = sizes.text_of(value).encode()
    status, _headers, _body = s3._put_object(bucket, key, body, {})
    if status != 200:
        raise Failure("States.ResultWriterFailed", f"Could not write s3://{bucket}/{key}")
    return len(body)
