"""The fields of each type of state in each query language, from the pages of the states. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MACHINE = frozenset({"Comment", "StartAt", "States", "Version", "TimeoutSeconds", "QueryLanguage"})
RETRIER = frozenset(
    {"ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy", "Comment"}
)
CATCHER = {
    "JSONPath": frozenset({"ErrorEquals", "Next", "ResultPath", "Assign", "Comment"}),
    "JSONata": frozenset({"ErrorEquals", "Next", "Output", "Assign", "Comment"}),
}
RULE = frozenset({"Condition", "Next", "Output", "Assign", "Comment"})

_ALWAYS = {"Type", "Comment", "QueryLanguage"}
_ONWARD = {"Next", "End"}
_PATHS = {"InputPath", "OutputPath"}
_CALL = {"Parameters", "ResultSelector", "ResultPath", "Retry", "Catch"}
_MAP = {"ItemSelector", "ItemProcessor", "MaxConcurrency", "ItemReader", "ItemBatcher", "ResultWriter", "Label"}
_MAP |= {"ToleratedFailurePercentage", "ToleratedFailureCount"}
_MAP_PATHS = {
    "ItemsPath",
    "Iterator",
    "MaxConcurrencyPath",
    "ToleratedFailurePercentagePath",
    "ToleratedFailureCountPath",
}
_TIMES = {"TimeoutSeconds", "HeartbeatSeconds"}
_TASK = {"Resource", "Credentials", *_TIMES}
_OUT = {"Output", "Assign"}

_FIELDS = {
    "JSONPath": {
        "Pass": {"Result", "ResultPath", "Parameters", "Assign", *_PATHS, *_ONWARD},
        "Task": {*_TASK, *(f"{name}Path" for name in _TIMES), *_CALL, "Assign", *_PATHS, *_ONWARD},
        "Choice": {"Choices", "Default", "Assign", *_PATHS},
        "Wait": {"Seconds", "SecondsPath", "Timestamp", "TimestampPath", "Assign", *_PATHS, *_ONWARD},
        "Succeed": {*_PATHS},
        "Fail": {"Error", "ErrorPath", "Cause", "CausePath"},
        "Parallel": {"Branches", *_CALL, "Assign", *_PATHS, *_ONWARD},
        "Map": {*_MAP, *_MAP_PATHS, *_CALL, "Assign", *_PATHS, *_ONWARD},
    },
    "JSONata": {
        "Pass": {*_OUT, *_ONWARD},
        "Task": {*_TASK, "Arguments", "Retry", "Catch", *_OUT, *_ONWARD},
        "Choice": {"Choices", "Default", *_OUT},
        "Wait": {"Seconds", "Timestamp", *_OUT, *_ONWARD},
        "Succeed": {"Output"},
        "Fail": {"Error", "Cause"},
        "Parallel": {"Branches", "Arguments", "Retry", "Catch", *_OUT, *_ONWARD},
        "Map": {*_MAP, "Items", "Retry", "Catch", *_OUT, *_ONWARD},
    },
}
_REQUIRED = {"Task": {"Resource"}, "Choice": {"Choices"}, "Parallel": {"Branches"}}
_ONE_OF: dict[str, tuple[frozenset[str], ...]] = {
    "Wait": (frozenset({"Seconds", "SecondsPath", "Timestamp", "TimestampPath"}),),
    "Map": (frozenset({"ItemProcessor", "Iterator"}),),
}


@dataclass(frozen=True, slots=True)
class Known:
    """What a state may have, must have, and whether it says where it goes on."""

    allowed: frozenset[str]
    required: frozenset[str]
    one_of: tuple[frozenset[str], ...]
    goes_on: bool


def fields_of(kind: Any, language: Any) -> Known | None:
    """None for a type or a query language that does not exist."""
    allowed = _FIELDS.get(language, {}).get(kind) if isinstance(kind, str) and isinstance(language, str) else None
    if allowed is None:
        return None
    required = frozenset(_REQUIRED.get(kind, ()))
    return Known(frozenset(allowed | _ALWAYS), required, _ONE_OF.get(kind, ()), allowed >= _ONWARD)


def is_error_names(value: Any) -> bool:
    """A list for ErrorEquals."""
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
