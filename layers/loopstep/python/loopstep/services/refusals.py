"""Why a request is refused. A service says what is wrong, a face (api, cli) how that is told."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A request that cannot be done. `code` is stable, `detail` a sentence without data, `facts` further members."""

    def __init__(self, code: str, detail: str, **facts: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.facts = facts


class Malformed(Refused):
    """The request itself cannot be read."""


class Unknown(Refused):
    """What the request names does not exist."""


class Conflicting(Refused):
    """What the request asks for contradicts what stands."""


class Forbidden(Refused):
    """Who asks may not do this."""


class Gone(Refused):
    """What the request names is over, and nothing can be done with it any more."""


class Unfit(Refused):
    """The request can be read, but its content breaks a contract."""


class TooLarge(Refused):
    """The request is larger than LANGUAGE §11 allows."""


class Unavailable(Refused):
    """A part that this request needs does not answer; trying again later can help."""


# the one table from a refusal to what HTTP calls it
HTTP_STATUS: dict[type[Refused], int] = {
    Malformed: 400,
    Forbidden: 403,
    Unknown: 404,
    Conflicting: 409,
    Gone: 410,
    TooLarge: 413,
    Unfit: 422,
    Unavailable: 503,
}


def unknown_plan(name: str) -> Unknown:
    """No plan of that name."""
    return Unknown("plan.unknown", f"There is no plan {name}.")


def unknown_version(name: str, number: int) -> Unknown:
    """The plan has no such version."""
    return Unknown("plan.version_unknown", f"The plan {name} has no version {number}.")


def unknown_run(run: str) -> Unknown:
    """No run of that id."""
    return Unknown("run.unknown", f"There is no run {run}.")
