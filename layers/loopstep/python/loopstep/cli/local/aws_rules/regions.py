"""Parallel and Map: branches and items that share nothing, and stop together when one of them fails."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import distributed, history, sizes, stopping
from .data import is_jsonata
from .emulated import Failure, replace, sfn

Step = tuple[Any, str | None]
INLINE_CONCURRENCY = 40  # Map workflow state, inline mode: up to 40 concurrent iterations


def apply() -> None:
    """Patch the emulator."""
    replace(sfn, "_run_parallel_branches", parallel)
    replace(sfn, "_run_map_items", mapped)


def parallel(state_def: Any, raw_input: Any, execution: Any, ctx: Any) -> Step:
    """Parallel workflow state: Arguments (or Parameters) to each branch, results in their order, Output and Assign."""
    name, jsonata = ctx["State"]["Name"], is_jsonata(state_def, ctx)
    effective = _given(state_def, raw_input, ctx, "Arguments" if jsonata else "Parameters")
    history.add(execution, "ParallelStateStarted")
    branches = state_def["Branches"]

    def job(branch: Any) -> Callable[[], Any]:
        inner = branch_context(ctx)
        return lambda: sfn._run_sub_machine(branch["States"], branch["StartAt"], effective, execution, inner)

    results = _region(execution, "ParallelState", [job(branch) for branch in branches], len(branches))
    return finished(state_def, raw_input, ctx, sizes.hold(results, name, "returned a result"))


def mapped(state_def: Any, raw_input: Any, execution: Any, ctx: Any) -> Step:
    """Map workflow state, inline: an item is a branch of its own, with Map.Item in its context."""
    name = ctx["State"]["Name"]
    processor = state_def.get("ItemProcessor") or state_def["Iterator"]
    if (processor.get("ProcessorConfig") or {}).get("Mode") == "DISTRIBUTED":
        return distributed.mapped(state_def, raw_input, execution, ctx)
    values = items(state_def, raw_input, ctx)
    history.add(execution, "MapStateStarted", mapStateStartedEventDetails={"length": len(values)})

    def job(index: int, value: Any) -> Callable[[], Any]:
        def run() -> Any:
            inner = branch_context(ctx, Map={"Item": {"Index": index, "Value": value}})
            about = {"name": name, "index": index}
            history.add(execution, "MapIterationStarted", mapIterationStartedEventDetails=about)
            try:
                given = item_input(state_def, raw_input, inner, value)
                sizes.hold(given, name, "was given an input")
                result = sfn._run_sub_machine(processor["States"], processor["StartAt"], given, execution, inner)
            except Failure:
                history.add(execution, "MapIterationFailed", mapIterationFailedEventDetails=about)
                raise
            history.add(execution, "MapIterationSucceeded", mapIterationSucceededEventDetails=about)
            return result

        return run

    jobs = [job(index, value) for index, value in enumerate(values)]
    workers = min(concurrency(state_def, raw_input, ctx) or INLINE_CONCURRENCY, INLINE_CONCURRENCY)
    results = _region(execution, "MapState", jobs, workers)
    sizes.hold(results, name, "returned a result")
    return finished(state_def, raw_input, ctx, results)


def _region(execution: Any, kind: str, jobs: Sequence[Callable[[], Any]], workers: int) -> list[Any]:
    """The jobs between the events of the region."""
    try:
        results = together(jobs, workers)
    except Failure:
        history.add(execution, f"{kind}Failed")
        raise
    history.add(execution, f"{kind}Succeeded")
    return results


def together(jobs: Sequence[Callable[[], Any]], workers: int) -> list[Any]:
    """Run the jobs, at most `workers` at a time; their results in order. The first failure stops those under way,
    none begins after it, and it is raised at once."""
    results: list[Any] = [None] * len(jobs)
    failed: list[Any] = []
    waiting, left, lock, over = iter(range(len(jobs))), len(jobs), threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal left
        while True:
            with lock:
                index = None if failed else next(waiting, None)
            if index is None:
                return
            try:
                results[index] = contextvars.copy_context().run(jobs[index])
            except stopping.Stopped:
                return
            except Exception as fault:
                with lock:
                    failed.append(fault if isinstance(fault, Failure) else Failure("States.Runtime", str(fault)))
                over.set()
                return
            with lock:
                left -= 1
                if not left:
                    over.set()

    if jobs:
        outer = stopping.current()
        with stopping.region():
            for _ in range(min(workers, len(jobs))):
                stopping.spawn(work)
            with outer.waking(over.set):
                over.wait()
    if failed:
        raise failed[0]
    return results


def branch_context(ctx: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A context of its own: what a branch assigns, enters or waits for is not seen outside of it."""
    return {**ctx, "State": dict(ctx["State"]), "variables": dict(ctx.get("variables", {})), **more}


def items(state: Any, data: Any, ctx: Any) -> list[Any]:
    """The array that a Map goes over. A JSONPath that leads to something else fails with States.Runtime."""
    if is_jsonata(state, ctx):
        found = sfn._jsonata_state_field(state, "Items", "array", data, ctx) if "Items" in state else data
    else:
        found = sfn._resolve_path_or_ctx(state.get("ItemsPath", "$"), sfn._apply_input_path(state, data, ctx), ctx)
    if not isinstance(found, list):
        raise Failure("States.Runtime", f'Reference path "{state.get("ItemsPath", "$")}" must point to array.')
    return found


def item_input(state: Any, data: Any, ctx: Any, value: Any) -> Any:
    """What an item's first state gets: ItemSelector, else the item."""
    selector = state.get("ItemSelector") or state.get("Parameters")
    if not selector:
        return value
    if is_jsonata(state, ctx):
        return sfn._apply_jsonata_template(selector, data, ctx)
    return sfn._resolve_params_obj(selector, sfn._apply_input_path(state, data, ctx), ctx)


def concurrency(state: Any, data: Any, ctx: Any) -> int:
    """MaxConcurrency, 0 where none is set."""
    if "MaxConcurrencyPath" in state:
        return int(sfn._resolve_path_or_ctx(state["MaxConcurrencyPath"], data, ctx))
    if "MaxConcurrency" not in state:
        return 0
    return int(sfn._jsonata_state_field(state, "MaxConcurrency", "number", data, ctx))


def finished(state: Any, data: Any, ctx: Any, result: Any) -> Step:
    """The output of a region from its result, by Output and Assign or by the paths."""
    if is_jsonata(state, ctx):
        output = sfn._apply_jsonata_output(state, data, ctx, result=result, default=result)
        sfn._apply_state_assign(state, data, ctx, result=result)
    else:
        output = sfn._apply_result_path(state, data, sfn._apply_result_selector(state, result))
        output = sfn._apply_output_path(state, output, ctx)
    return sizes.hold(output, ctx["State"]["Name"], "returned a result"), sfn._next_or_end(state)


def _given(state: Any, data: Any, ctx: Any, field: str) -> Any:
    if field == "Arguments":
        given = sfn._apply_jsonata_arguments(state, data, ctx)
    else:
        given = sfn._apply_parameters(state, sfn._apply_input_path(state, data, ctx), ctx)
    return sizes.hold(given, ctx["State"]["Name"], "was given an input")
