"""Who did something: a caller of the API, or what starts runs by itself."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

KEY = "key"  # an API key: `id` is its id, never its value
IAM = "iam"  # `id` is the ARN of a user or role
JWT = "jwt"  # `id` is the token's subject
SCHEDULE = "schedule"
TRIGGER = "trigger"
FUNCTION = "function"  # an invocation of start_run by a program


class Actor(NamedTuple):
    """`kind` is one of the above, `id` unique within it, `name` for people."""

    kind: str
    id: str
    name: str | None = None

    def to_json(self) -> dict[str, Any]:
        """`{kind, id, name}`."""
        return self._asdict()

    def to_text(self) -> str:
        """The compact JSON text that `of_text` reads."""
        return json.dumps([*self], ensure_ascii=False, separators=(",", ":"))


def of_text(text: str | None) -> Actor | None:
    """The actor of a stored text; None for records from before actors were recorded."""
    return None if text is None else Actor(*json.loads(text))


def of_json(data: Any) -> Actor | None:
    """The actor of `to_json`, handed from one function to another; None for anything else."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str) or not isinstance(data.get("id"), str):
        return None
    name = data.get("name")
    return Actor(data["kind"], data["id"], name if isinstance(name, str) else None)


def shown(actor: Actor | None) -> dict[str, Any] | None:
    """How answers show who it was."""
    return None if actor is None else actor.to_json()
