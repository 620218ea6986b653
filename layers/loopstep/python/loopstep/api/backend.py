"""What the routes work with; the handler of the function puts it together, tests hand in their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loopstep.plans.store import PlanStore
from loopstep.registry.store import RegistryStore
from loopstep.services.access import Access
from loopstep.services.dead_letters import Mail
from loopstep.services.put_documents import Librarian
from loopstep.services.repeat_request import Repeating
from loopstep.services.running import Running
from loopstep.services.scheduling import Scheduling


@dataclass(frozen=True, slots=True)
class Backend:
    """`compile_document(payload)` calls the compiler function: `{action, document, …}` → `{status, body}`."""

    plans: PlanStore
    running: Running
    compile_document: Callable[[dict[str, Any]], dict[str, Any]]
    registry: RegistryStore
    librarian: Librarian
    scheduling: Scheduling
    mail: Mail
    access: Access
    repeating: Repeating
