"""The console's files through the API: without a key, with their headers, and nothing but them."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from loopstep.api.access import needed
from loopstep.console.assets import HEADERS, STATIC, build_digest


def fetch(api: Any, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """As API Gateway calls a route that asks for no key: without an identity."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    event = {
        "httpMethod": "GET",
        "path": path,
        "resource": "/console/{proxy+}",
        "headers": sent or None,
        "multiValueHeaders": {name: [value] for name, value in sent.items()} or None,
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"requestId": "r", "stage": "v1"},
        "body": None,
        "isBase64Encoded": False,
    }
    reply = api.app.resolve(event, None)
    body = base64.b64decode(reply["body"]).decode() if reply["isBase64Encoded"] else reply["body"]
    return reply["statusCode"], {name: values[0] for name, values in reply["multiValueHeaders"].items()}, body


def test_the_address_without_a_slash_leads_to_the_one_with_it(api: Any) -> None:
    status, headers, _ = fetch(api, "/console")
    assert (status, headers["Location"]) == (308, "console/")  # relative: the stage's name stays


@pytest.mark.parametrize("path", ["/console/", "/console/index.html", f"/console/at/{build_digest()}/app.js"])
def test_files_come_with_their_headers(api: Any, path: str) -> None:
    status, headers, body = fetch(api, path)
    assert status == 200 and len(body) > 100
    assert {name: headers[name] for name in HEADERS} == HEADERS
    lasting = "/at/" in path
    assert headers["Content-Type"] == f"text/{'javascript' if lasting else 'html'}; charset=utf-8"
    assert headers["Cache-Control"] == ("public, max-age=31536000, immutable" if lasting else "no-cache")
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_a_file_that_is_known_does_not_come_again(api: Any) -> None:
    _, headers, body = fetch(api, "/console/app.js")
    assert body == (STATIC / "app.js").read_text(encoding="utf-8")
    for tag in (headers["ETag"], f"W/{headers['ETag']}", f'"other", {headers["ETag"]}'):
        status, again, nothing = fetch(api, "/console/app.js", if_none_match=tag)
        assert (status, nothing, again["ETag"]) == (304, "", headers["ETag"])
    assert fetch(api, "/console/app.js", if_none_match='"other"')[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/console/../plans",
        "/console/..%2f..%2fassets.py",
        "/console/%2e%2e/assets.py",
        "/console//etc/passwd",
        "/console/vendor/README.md",
        "/console/at/000000000000/app.js",
        "/console/nothing.js",
    ],
)
def test_nothing_else_can_be_had(api: Any, path: str) -> None:
    status, headers, body = fetch(api, path)
    assert status == 404 and json.loads(body)["code"] == "route.unknown"
    assert headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]


def test_it_takes_no_other_method(api: Any) -> None:
    assert api("POST", "/console").status == 405
    assert api("PUT", "/console/app.js").status in (404, 405)


def test_only_files_need_no_role(api: Any) -> None:
    routes = [*api.app._static_routes, *api.app._dynamic_routes]
    open_ = {route.path for route in routes if needed(route.method, route.path) is None}
    assert open_ == {"/console", "/console/<path>"}
