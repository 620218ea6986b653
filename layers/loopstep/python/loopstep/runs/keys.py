"""Names of things in a run: table keys, activation ids, object keys, execution names (ARCHITECTURE §3, §4)."""

from __future__ import annotations

import re
from hashlib import sha256
from urllib.parse import quote

HEAD = "head"
STATE = "state"
ACTIVATION = "act#"
MESSAGE = "msg#"
FENCE = "fence#"
FENCES = 16  # a wide region's commits spread over this many fence items

_RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,70}")
_EXECUTION = re.compile(r"([A-Za-z0-9_-]{1,70})-([1-9][0-9]{0,7})")
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def is_run_id(text: str) -> bool:
    """Whether `text` can be a run's id: 1 to 70 of `[A-Za-z0-9_-]`."""
    return _RUN_ID.fullmatch(text) is not None


def execution_name(run: str, epoch: int) -> str:
    """Return the name of the execution that runs this epoch of a run; at most 80 characters, as AWS allows."""
    return f"{run}-{epoch}"


def run_of_execution(name: str) -> tuple[str, int] | None:
    """Return run id and epoch of an execution name, None for a name that no run of ours has."""
    match = _EXECUTION.fullmatch(name)
    return (match[1], int(match[2])) if match else None


def activation_id(node: str, path: str) -> str:
    """Return the id that a node's activation has on every retry and redrive: `<node id>#<path>`."""
    return f"{node}#{path}"


def activation_key(activation: str) -> str:
    """Return the sort key of an activation's record."""
    return ACTIVATION + activation


def message_key(message: str) -> str:
    """Return the sort key of a message."""
    return MESSAGE + message


def fence_key(index: int) -> str:
    """Return the sort key of one of the fences, 0 to 15."""
    return f"{FENCE}{index:02d}"


def fence_of(activation: str) -> str:
    """Return the sort key of the fence that guards this activation's commits; the same in every process."""
    return fence_key(sha256(activation.encode()).digest()[0] % FENCES)


def message_id(run: str, activation: str, milliseconds: int) -> str:
    """Return the id under which an activation's message is stored and published, the same on every retry.

    `milliseconds` since 1970 is the start of the activation's first recorded attempt: ids of one run sort by time.
    """
    time = "".join(_DIGITS[milliseconds >> shift & 31] for shift in range(45, -5, -5))
    return time + sha256(f"{run}/{activation}".encode()).hexdigest()[:22]


def object_key(run: str, owner: str, attempt: int, field: str, text: bytes) -> str:
    """Return where a large value lies in the bucket: `run/<run>/<activation>/<attempt>/<field>.<digest>`.

    The digest makes objects immutable: two invocations of one activation that race with different values write two
    objects, and the committed record points at the one it was made with.
    """
    return f"run/{run}/{quote(owner, safe='')}/{attempt}/{quote(field, safe='')}.{sha256(text).hexdigest()[:32]}"


def index_key(run: str, count: int) -> str:
    """Return where the list of `count` item numbers lies that a Distributed Map of this run reads."""
    return f"run/{run}/items/{count}.json"
