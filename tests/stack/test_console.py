"""The deployed stack serves the console to anybody, and data to nobody without a key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

import pytest

from loopstep.cli.local.cloud import State
from loopstep.console.assets import HEADERS, STATIC

OPENAPI = Path(__file__).resolve().parents[2] / "layers/loopstep/python/loopstep/api/openapi.json"


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *given: Any) -> None:
        return None


def fetch(url: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """One request without a key."""
    opener = build_opener(ProxyHandler({}), _Stay)
    data = b"{}" if method in ("POST", "PUT") else None
    request = Request(url, data=data, method=method, headers={n.replace("_", "-"): v for n, v in headers.items()})
    try:
        answer = opener.open(request, timeout=30)
    except HTTPError as refused:
        answer = refused
    with answer:
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read().decode()


def test_the_console_comes_without_a_key(state: State) -> None:
    status, headers, _ = fetch(f"{state['url']}/console")
    assert status == 308 and urljoin(f"{state['url']}/console", headers["location"]) == f"{state['url']}/console/"
    status, headers, page = fetch(f"{state['url']}/console/")
    assert status == 200 and headers["content-type"] == "text/html; charset=utf-8"
    assert {name: headers[name.lower()] for name in HEADERS} == HEADERS
    links = re.findall(r'(?:src|href)="(\./[^"]+)"', page)
    assert len(links) > 10
    for link in links:
        status, headers, text = fetch(urljoin(f"{state['url']}/console/", link))
        assert status == 200 and "immutable" in headers["cache-control"], link
        assert text == (STATIC / link.split("/", 3)[3]).read_text(encoding="utf-8")
        assert fetch(urljoin(f"{state['url']}/console/", link), if_none_match=headers["etag"])[0] == 304


@pytest.mark.parametrize(
    "path", ["/console/../plans", "/console/%2e%2e/plans", "/console/..%2fplans", "/console/plans"]
)
def test_no_address_below_the_console_is_another_route(state: State, path: str) -> None:
    status, _, text = fetch(state["url"] + path)
    assert status in (403, 404) and '"items"' not in text


def test_no_route_with_data_does(state: State) -> None:
    paths = json.loads(OPENAPI.read_text(encoding="utf-8"))["paths"]
    routes = [(method, path) for path, methods in paths.items() for method in methods]
    assert len(routes) > 60
    for method, path in [*routes, ("get", "/openapi.json")]:
        where = re.sub(r"\{(version)\}", "1", path)
        status, _, text = fetch(state["url"] + re.sub(r"\{\w+\}", "x", where), method.upper())
        assert status == 403, (method, path, status, text[:200])
