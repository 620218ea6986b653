"""Which role each route needs. This is the one table: what is not in it, only `admin` may."""

from __future__ import annotations

from loopstep.access.roles import ADMIN, APPROVER, AUTHOR, OPERATOR, VIEWER

Needed = tuple[str, ...]  # one of these suffices

ANYBODY: Needed = ()  # whom the gateway let in, whatever its roles
OPEN = "/console"  # static files without data: the gateway asks for no key

_READING: Needed = (VIEWER,)
_CHECKING: Needed = (VIEWER, AUTHOR)
_RUNNING: Needed = (OPERATOR,)
_DECIDING: Needed = (APPROVER,)
_ANSWERING: Needed = (APPROVER, OPERATOR)
_WRITING: Needed = (AUTHOR,)
_SWITCHING: Needed = (OPERATOR, AUTHOR)
_ADMINISTERING: Needed = (ADMIN,)

# "METHOD rule"; a GET that is not listed changes nothing and is for viewers
TABLE: dict[str, Needed] = {
    "GET /me": ANYBODY,
    "GET /openapi.json": ANYBODY,
    "GET /keys": _ADMINISTERING,
    "GET /keys/<path>": _ADMINISTERING,
    "PUT /keys/<path>": _ADMINISTERING,
    "DELETE /keys/<path>": _ADMINISTERING,
    "POST /plans/check": _CHECKING,
    "POST /plans/draw": _CHECKING,
    "POST /canvas/import": _CHECKING,
    "POST /canvas/mappings": _CHECKING,
    "PUT /plans/<name>": _WRITING,
    "PUT /skills/<id>": _WRITING,
    "DELETE /skills/<id>": _WRITING,
    "PUT /agents/<id>": _WRITING,
    "DELETE /agents/<id>": _WRITING,
    "PUT /sources/<id>": _WRITING,
    "DELETE /sources/<id>": _WRITING,
    "PUT /scopes/<path>": _WRITING,
    "DELETE /scopes/<path>": _WRITING,
    "PUT /sources/<id>/documents/<document>": _WRITING,
    "POST /sources/<id>/documents": _WRITING,
    "DELETE /sources/<id>/documents/<document>": _WRITING,
    "PUT /plans/<name>/schedules/<schedule>": _WRITING,
    "DELETE /plans/<name>/schedules/<schedule>": _WRITING,
    "POST /plans/<name>/schedules/<schedule>/enable": _SWITCHING,
    "POST /plans/<name>/schedules/<schedule>/disable": _SWITCHING,
    "PUT /plans/<name>/triggers/<trigger>": _WRITING,
    "DELETE /plans/<name>/triggers/<trigger>": _WRITING,
    "POST /plans/<name>/triggers/<trigger>/enable": _SWITCHING,
    "POST /plans/<name>/triggers/<trigger>/disable": _SWITCHING,
    "POST /plans/<name>/runs": _RUNNING,
    "POST /runs/<run>/start": _RUNNING,
    "POST /runs/<run>/cancel": _RUNNING,
    "POST /runs/<run>/redrive": _RUNNING,
    "PUT /runs/<run>/files/<path>": _RUNNING,
    "DELETE /runs/<run>/files/<path>": _RUNNING,
    "POST /dead-letters/<letter>/redrive": _RUNNING,
    "DELETE /dead-letters/<letter>": _RUNNING,
    "POST /approvals/<id>": _DECIDING,
    "POST /callbacks/<id>": _ANSWERING,
}

# POSTs that change nothing: a key for repetition names nothing there
COMPUTING = ("POST /plans/check", "POST /plans/draw", "POST /canvas/import", "POST /canvas/mappings")


def needed(method: str, rule: str) -> Needed | None:
    """The roles of which one suffices for a route; None where not even a key is asked for."""
    if rule == OPEN or rule.startswith(f"{OPEN}/"):
        return None
    return TABLE.get(f"{method} {rule}", _READING if method == "GET" else _ADMINISTERING)
