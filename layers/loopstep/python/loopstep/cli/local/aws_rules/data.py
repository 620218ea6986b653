"""How states read and bind data: paths that exist, variables bound at once, no $eval, results of the right type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import stopping
from .emulated import Failure, replace, sfn, wrap


def apply() -> None:
    """Patch the emulator."""
    replace(sfn, "_apply_state_assign", assign)
    replace(sfn, "_evaluate_jsonata_choice_rule", condition)
    replace(sfn, "_scaled_sleep", scaled_sleep)
    wrap(sfn, "_register_sfn_jsonata_functions", without_eval)
    wrap(sfn, "_resolve_path", existing)
    wrap(sfn, "_resolve_params_obj", existing_parameters)
    wrap(sfn, "_evaluate_rule", presence)


def is_jsonata(state: Any, ctx: Any) -> bool:
    """Whether the state is in JSONata."""
    return bool(sfn._state_query_language(state, ctx) == "JSONata")


def assign(state_def: Any, raw_input: Any, ctx: Any, result: Any = None, error_output: Any = None) -> None:
    """Assign: all expressions see the variables as they were when the state began ("Passing data between states with
    variables": assignments are in parallel)."""
    if ctx is None or not is_jsonata(state_def, ctx) or not isinstance(state_def.get("Assign"), dict):
        return
    evaluated = sfn._apply_jsonata_template(
        state_def["Assign"], raw_input, ctx, result=result, error_output=error_output
    )
    ctx["variables"] = {**ctx.get("variables", {}), **evaluated}


def condition(rule: Any, raw_input: Any, ctx: Any) -> bool:
    """Choice: a Condition that is no boolean fails with States.QueryEvaluationError, nothing is taken as true."""
    return bool(sfn._jsonata_state_field(rule, "Condition", "boolean", raw_input, ctx))


def scaled_sleep(seconds: float) -> None:
    """Waits and retry delays, which a stop interrupts. The emulator's scale of waits still holds."""
    stopping.sleep(seconds * sfn._SFN_WAIT_SCALE)


def without_eval(original: Callable[..., Any]) -> Callable[..., Any]:
    """ "Transforming data with JSONata": Step Functions does not have $eval."""

    def refused(*_arguments: Any) -> Any:
        raise ValueError("T1006: Attempted to invoke a non-function: $eval is not supported")

    def register(expr: Any) -> None:
        original(expr)
        expr.register_lambda("eval", lambda text=None, context=None: refused())

    return register


def existing(original: Callable[..., Any]) -> Callable[..., Any]:
    """A JSONPath that finds nothing fails the state with States.Runtime; null is found."""

    def resolve(path: Any, data: Any) -> Any:
        value = original(path, data)
        if value is None and isinstance(path, str) and path.startswith("$") and not _is_there(path, data):
            raise Failure("States.Runtime", f"Invalid path '{path}': No results for path")
        return value

    return resolve


def _is_there(path: str, data: Any) -> bool:
    tokens = sfn._parse_jsonpath_tokens(path)
    for kind, key in tokens or []:
        if isinstance(data, dict):
            there = kind == "field" and key in data
        else:
            there = isinstance(data, list) and kind == "index" and key < len(data)
        if not there:
            return False
        data = data[key]
    return tokens is not None


def existing_parameters(original: Callable[..., Any]) -> Callable[..., Any]:
    """In Parameters, ResultSelector and ItemSelector the error is States.ParameterPathFailure, which can be caught."""

    def resolve(template: Any, data: Any, ctx: Any = None) -> Any:
        try:
            return original(template, data, ctx)
        except Failure as failure:
            if failure.error == "States.Runtime" and failure.cause.startswith("Invalid path"):
                raise Failure("States.ParameterPathFailure", failure.cause) from None
            raise

    return resolve


def presence(original: Callable[..., Any]) -> Callable[..., Any]:
    """IsPresent is the one rule of a Choice that may ask for a path that is not there; null is there."""

    def evaluate(rule: Any, data: Any, ctx: Any = None) -> Any:
        if "IsPresent" not in rule:
            return original(rule, data, ctx)
        try:
            sfn._resolve_path_or_ctx(rule["Variable"], data, ctx)
        except Failure:
            return rule["IsPresent"] is False
        return rule["IsPresent"] is True

    return evaluate
