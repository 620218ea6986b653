"""What callers may do. Roles stand beside each other: a caller may hold several, `admin` stands for all."""

from __future__ import annotations

from collections.abc import Iterable

VIEWER = "viewer"  # reads
OPERATOR = "operator"  # starts, stops and redrives runs
APPROVER = "approver"  # decides approvals, answers callbacks
AUTHOR = "author"  # publishes plans and what they refer to, schedules, triggers
ADMIN = "admin"  # everything, callers too

NONE = "none"  # how a parameter says that a caller has no role

ROLES = (VIEWER, OPERATOR, APPROVER, AUTHOR, ADMIN)


def known(names: Iterable[str]) -> tuple[str, ...]:
    """Those names that are roles, each once, in the order of ROLES."""
    given = set(names)
    return tuple(role for role in ROLES if role in given)


def suffices(held: Iterable[str], needed: Iterable[str]) -> bool:
    """Whether one of the needed roles is held. Where none is needed, anybody suffices."""
    held, needed = set(held), set(needed)
    return not needed or ADMIN in held or bool(held & needed)
