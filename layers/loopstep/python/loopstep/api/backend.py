"""What the routes work with; the handler of the function puts it together, tests hand in their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopstep.plans.store import PlanStore
from loopstep.services.running import Running


@dataclass(frozen=True, slots=True)
class Backend:
    """`compile_document(payload)` calls the compiler function: `{action, name?, document}` → `{status, body}`."""

    plans: PlanStore
    running: Running
    compile_document: Callable[[dict[str, Any]], dict[str, Any]]
