"""Which files are plans: they say so themselves."""

from __future__ import annotations

from loopstep.source.document import Mapping, Scalar
from loopstep.source.load import load

ENDINGS = (".yaml", ".yml", ".json")
LANGUAGE = "loop.plan/"  # how the apiVersion of a plan begins
_WORDS = (b"apiVersion", b"loop.plan")  # no plan is without


def is_plan(document: bytes) -> bool:
    """Whether it says that it is a plan, or cannot be read and has the words of one."""
    if not all(word in document for word in _WORDS):
        return False
    root = load(document)[0]
    if root is None:
        return True
    version = root.entries.get("apiVersion") if isinstance(root, Mapping) else None
    return isinstance(version, Scalar) and str(version.value).startswith(LANGUAGE)
