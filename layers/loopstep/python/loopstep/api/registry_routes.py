"""Routes of the registry: skills, agents, sources and scopes, all alike (ARCHITECTURE §5).

The name of a scope may have slashes, so it is the rest of its path; and a scope is never pinned, so its older versions
have no routes.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayRouter
from pydantic import BaseModel

from loopstep.api import registry_models as models
from loopstep.api.answers import answer
from loopstep.api.asking import ask_compiler
from loopstep.api.backend import Backend
from loopstep.api.described import replies
from loopstep.api.parameters import EntryId, Limit, Next, ScopeName, VersionNumber
from loopstep.registry.records import AGENT, SCOPE, SKILL, SOURCE
from loopstep.services import read_registry
from loopstep.services.refusals import Malformed

MARKDOWN = "text/markdown"


class Shapes(NamedTuple):
    """What a kind looks like: newest, a page of a list, what is put, one version (None: has no route)."""

    newest: type[BaseModel]
    page: type[BaseModel]
    put: type[BaseModel]
    version: type[BaseModel] | None = None
    markdown: bool = False


_WORKER = Shapes(models.WorkerNow, models.BriefPage, models.PutWorker, models.WorkerVersion, True)

SHAPES = {
    SKILL: _WORKER,
    AGENT: _WORKER,
    SOURCE: Shapes(models.SourceNow, models.BriefSourcePage, models.PutSource, models.SourceVersion),
    SCOPE: Shapes(models.ScopeNow, models.BriefPage, models.PutScope),
}


def registry_routes(backend: Backend) -> APIGatewayRouter:
    """The routes, bound to what they work with."""
    router = APIGatewayRouter()  # type: ignore[no-untyped-call]
    for kind, shapes in SHAPES.items():
        _changing(router, backend, kind, shapes)
        _reading(router, backend, kind, shapes)
        if shapes.version is not None:
            _reading_versions(router, backend, kind, shapes.version)
    return router


def _changing(router: APIGatewayRouter, backend: Backend, kind: str, shapes: Shapes) -> None:
    def put(id: str) -> Response[str]:
        sent = router.current_event.headers.get("content-type") or ""
        payload = {"action": "register", "kind": kind, "id": id, "markdown": sent.startswith(MARKDOWN)}
        return ask_compiler(router, backend, payload)

    def remove(id: str) -> Response[str]:
        run = backend.running
        read_registry.remove_entry(backend.registry, kind, id, run.new_id(), run.now, lambda n: run.sleep(_pause(n)))
        return answer(200, {"id": id, "removed": True})

    router.put(
        _rule(kind),
        summary=f"Register {_a(kind)}, or its next version",
        tags=["registry"],
        openapi_extensions=models.body_of(shapes.put, shapes.markdown),
        responses=replies(
            {
                200: ("The newest version has this content already.", models.Registered),
                201: ("A new version.", models.Registered),
            },
            *(400, 409, 413, 422, 502, 503),
        ),
    )(_by_id(put, f"put_{kind}", kind))
    router.delete(
        _rule(kind),
        summary=f"Take {_a(kind)} out; plan versions that pin it go on using it",
        tags=["registry"],
        responses=replies({200: ("It is not registered any more.", models.Removed)}, 400, 404, 409, 503),
    )(_by_id(remove, f"remove_{kind}", kind))


def _reading(router: APIGatewayRouter, backend: Backend, kind: str, shapes: Shapes) -> None:
    def list_entries(limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, read_registry.list_entries(backend.registry, kind, limit, next))

    def get(id: str) -> Response[str]:
        return answer(200, read_registry.get_entry(backend.registry, kind, id))

    router.get(
        f"/{kind}s",
        summary=f"List {kind}s",
        tags=["registry"],
        responses=replies({200: (f"A page of {kind}s.", shapes.page)}, 400),
    )(_named(list_entries, f"list_{kind}s"))
    router.get(
        _rule(kind),
        summary=f"Read {_a(kind)}",
        tags=["registry"],
        responses=replies({200: ("Its newest version.", shapes.newest)}, 400, 404),
    )(_by_id(get, f"get_{kind}", kind))


def _reading_versions(router: APIGatewayRouter, backend: Backend, kind: str, version_model: type[BaseModel]) -> None:
    def list_versions(id: EntryId, limit: Limit = 50, next: Next = None) -> Response[str]:
        return answer(200, read_registry.list_entry_versions(backend.registry, kind, id, limit, next))

    def get_version(id: EntryId, version: VersionNumber) -> Response[str]:
        return answer(200, read_registry.get_entry_version(backend.registry, kind, id, version))

    router.get(
        f"/{kind}s/<id>/versions",
        summary=f"List the versions of {_a(kind)}, the newest first",
        tags=["registry"],
        responses=replies({200: ("A page of versions.", models.EntryVersionPage)}, 400, 404),
    )(_named(list_versions, f"list_{kind}_versions"))
    router.get(
        f"/{kind}s/<id>/versions/<version>",
        summary=f"Read a version of {_a(kind)}, also of one that was taken out",
        tags=["registry"],
        responses=replies({200: ("The version.", version_model)}, 400, 404),
    )(_named(get_version, f"get_{kind}_version"))


def _rule(kind: str) -> str:
    return f"/{kind}s/<path>" if kind == SCOPE else f"/{kind}s/<id>"


def _by_id(act: Callable[[str], Response[str]], name: str, kind: str) -> Any:
    """The function of a route, with the parameter that its rule has."""

    def by_id(id: EntryId) -> Response[str]:
        return act(id)

    def by_path(path: ScopeName) -> Response[str]:
        return act(_scope_name(path))

    return _named(by_path if kind == SCOPE else by_id, name)


def _named(act: Any, name: str) -> Any:
    """OpenAPI names an operation by its function."""
    act.__name__ = name
    return act


def _scope_name(path: str) -> str:
    """The scope that the rest of a path names, whether or not the gateway has left its encoding on.

    Raises Malformed `request.invalid`.
    """
    name = unquote(path, errors="replace")
    if not re.fullmatch(models.SCOPE_NAME, name) or any(part in ("", ".", "..") for part in name.split("/")):
        raise Malformed("request.invalid", "The path names no scope that can be registered.")
    return name


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _pause(attempt: int) -> float:
    """Seconds before the next try: full jitter, up to half a second."""
    return random.random() * min(0.02 * float(2**attempt), 0.5)
