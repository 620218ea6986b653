"""The modules of the emulator, and the three ways to change them. Each checks what it changes first."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

sfn: Any = importlib.import_module("ministack.services.stepfunctions")
lambdas: Any = importlib.import_module("ministack.services.lambda_svc")
runtime: Any = importlib.import_module("ministack.core.lambda_runtime")
eventbridge: Any = importlib.import_module("ministack.services.eventbridge")
scheduler: Any = importlib.import_module("ministack.services.scheduler")
s3: Any = importlib.import_module("ministack.services.s3")
provisioners: Any = importlib.import_module("ministack.services.cloudformation.provisioners")

Failure: type[Any] = sfn._ExecutionError  # (error, cause): what a state fails with


class UnexpectedEmulator(Exception):
    """A place that is to be patched looks different from the version that the patch was written for."""


def replace(owner: Any, name: str, new: Callable[..., Any]) -> None:
    """Put `new` in the place of a function, which must exist and take parameters of the same names."""
    old = getattr(owner, name, None)
    place = f"{owner.__name__}.{name}"
    if not inspect.isfunction(old):
        raise UnexpectedEmulator(f"{place} is not a function")
    there, here = list(inspect.signature(old).parameters), list(inspect.signature(new).parameters)
    if there != here:
        raise UnexpectedEmulator(f"{place} takes {there}, its replacement takes {here}")
    setattr(owner, name, new)


def wrap(owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a function by one that is made from it."""
    replace(owner, name, make(getattr(owner, name, None)))  # type: ignore[arg-type]


def rewrite(owner: Any, name: str, old: str, new: str) -> None:
    """Change one place of a text, which must hold it exactly once."""
    text = getattr(owner, name, "")
    if not isinstance(text, str) or text.count(old) != 1:
        raise UnexpectedEmulator(f"{owner.__name__}.{name} does not hold {old!r} exactly once")
    setattr(owner, name, text.replace(old, new))


def refusal(code: str, message: str, status: int = 400) -> Any:
    """An error answer of a JSON API."""
    return sfn.error_response_json(code, message, status)
