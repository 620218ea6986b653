"""The REST API as the commands use it, and its errors as exit codes (ARCHITECTURE §5, §6). Standard library only."""

from __future__ import annotations

import http
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from typing import IO, Any

import click

from loopstep.cli import outcome

URL = "LOOPSTEP_URL"
KEY = "LOOPSTEP_API_KEY"
TOKEN = "LOOPSTEP_TOKEN"  # noqa: S105 - the name of a variable: of an issuer's, where the stack asks for one
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PAGE = 100
SECONDS = 60.0  # that an answer may take
BUSY = (429, 503)  # nothing was done, or nothing that a repetition would do twice
GOING_ON = "idempotency.in_progress"  # an earlier try of the same request is at it
TRIES = 4
PAUSE = 1.0  # seconds after the first try, once more for each further one
IDEMPOTENCY = "Idempotency-Key"

_EXIT_CODES = {
    401: outcome.NOT_ALLOWED,
    403: outcome.NOT_ALLOWED,
    404: outcome.NOT_FOUND,
    409: outcome.CONFLICT,
    410: outcome.CONFLICT,
    422: outcome.NO,
}


class Refused(outcome.Failure):
    """The API said no. `problem` is its answer, `status` the HTTP status."""

    def __init__(self, status: int, problem: dict[str, Any], as_json: bool) -> None:
        code = _EXIT_CODES.get(status, outcome.OUT_OF_REACH if status == 429 or status >= 500 else outcome.USAGE)
        text = problem.get("detail") or problem.get("title") or problem.get("message") or f"HTTP {status}"
        super().__init__(f"{text} ({problem['code']})" if problem.get("code") else str(text), code)
        self.status = status
        self.problem = problem
        self.as_json = as_json

    def show(self, file: IO[Any] | None = None) -> None:
        super().show(file)
        if self.as_json:
            click.echo(json.dumps(self.problem, ensure_ascii=False))
            return
        for error in self.problem.get("errors") or []:
            click.echo(outcome.visible(f"  {error.get('path') or '/'}: {error.get('message')}"), err=True)


class Remote:
    """One stack's API. Every call returns the answer's JSON, or raises Refused or Failure."""

    def __init__(self, url: str, key: str, as_json: bool = False, hint: str = "", token: str = "") -> None:
        """`hint` is what to do where nothing answers, `token` the bearer's where the stack asks for one."""
        self._url = url.rstrip("/")
        self._proof = {"x-api-key": key} | ({"authorization": f"Bearer {token}"} if token else {})
        self._as_json = as_json
        self._hint = hint
        self._opener = opener(url)

    def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """`body` is sent as JSON, `raw` as a plan document. What was too much at the time is asked again.

        No repetition does anything twice: a POST has an Idempotency-Key, of its own where `headers` bring none.
        """
        data = raw if raw is not None else None if body is None else _json(body)
        kind = "application/yaml" if raw is not None else "application/json"
        every = {**self._proof, "content-type": kind, "accept": "application/json", **(headers or {})}
        if method == "POST":
            every.setdefault(IDEMPOTENCY, uuid.uuid4().hex)
        request = urllib.request.Request(self._url + path, data=data, method=method, headers=every)
        for number in range(1, TRIES):
            try:
                return self._ask(request)
            except Refused as refused:
                if refused.status not in BUSY and refused.problem.get("code") != GOING_ON:
                    raise
            time.sleep(PAUSE * number)
        return self._ask(request)

    def _ask(self, request: urllib.request.Request) -> Any:
        try:
            try:
                with self._opener.open(request, timeout=SECONDS) as answer:
                    return json.loads(answer.read() or b"null")
            except urllib.error.HTTPError as refused:
                raise Refused(refused.code, _problem(refused.read()), self._as_json) from None
        except (OSError, http.client.HTTPException, ValueError) as fault:
            reason = getattr(fault, "reason", fault)
            raise outcome.Failure(f"no answer from {self._url}: {reason}", outcome.OUT_OF_REACH, self._hint) from None

    def refusal(self, status: int, code: str, detail: str, **facts: Any) -> Refused:
        """What the API would say to something that need not be sent for that."""
        title = http.HTTPStatus(status).phrase
        problem = {"type": f"urn:loopstep:problem:{code}", "title": title, "status": status, "code": code}
        return Refused(status, {**facts, **problem, "detail": detail}, self._as_json)

    def items(self, path: str, limit: int | None = None, **query: str | None) -> Iterator[dict[str, Any]]:
        """Every item of a paged list, or the first `limit`."""
        given: dict[str, Any] = {name: value for name, value in query.items() if value}
        left = limit
        while True:
            given["limit"] = PAGE if left is None else min(left, PAGE)
            page = self.call("GET", f"{path}?{urllib.parse.urlencode(given)}")
            if not isinstance(page, dict) or not isinstance(page.get("items"), list):
                raise outcome.Failure(f"{self._url} does not answer as loopstep does", outcome.OUT_OF_REACH)
            yield from page["items"]
            left = None if left is None else left - len(page["items"])
            if not page.get("next") or (left is not None and left <= 0):
                return
            given["next"] = page["next"]


def opener(url: str) -> urllib.request.OpenerDirector:
    """What opens an address: on loopback past any proxy."""
    local = urllib.parse.urlsplit(url).hostname in LOOPBACK
    return urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))


def connect(as_json: bool = False) -> Remote:
    """The stack of LOOPSTEP_URL (and LOOPSTEP_API_KEY), else the local cloud. Raises Failure where there is neither."""
    if url := os.environ.get(URL):
        key, token = (_header(name, os.environ.get(name, "")) for name in (KEY, TOKEN))
        return Remote(_address(url), key, as_json, token=token)
    from loopstep.cli.local import cloud, project

    state = cloud.running(project.need(f"{URL} names a stack elsewhere."))
    if state is None or not state["url"]:
        raise outcome.Failure(
            "the local cloud is not running" if state is None else "the local cloud is not deployed yet",
            outcome.OUT_OF_REACH,
            f"`loopstep up` starts it; {URL} names another stack.",
        )
    hint = f"The local cloud runs (process {state['pid']}): `loopstep status` says more, `loopstep down` ends it."
    return Remote(state["url"], state["apiKey"], as_json, hint)


def _address(url: str) -> str:
    """What LOOPSTEP_URL says, where it is the address of an API. Raises Failure."""
    try:
        parts = urllib.parse.urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        fits = fits and not parts.query and not parts.fragment
    except ValueError:
        fits = False
    if not fits or not url.isascii() or not url.isprintable() or " " in url:
        raise outcome.Failure(
            f"{URL} is no address of an API: {url}", outcome.USAGE, "It looks like https://example.com/v1."
        )
    return url


def _header(name: str, value: str) -> str:
    """The value of an environment variable that travels as a header. Raises Failure."""
    if not value.isascii() or not value.isprintable():
        raise outcome.Failure(f"{name} holds characters that no header can carry", outcome.USAGE)
    return value


def _json(body: dict[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise outcome.Failure(
            "what is to be sent holds half of a surrogate pair, which is no character", outcome.USAGE
        ) from None


def quoted(part: str) -> str:
    """One part of a path."""
    return urllib.parse.quote(part, safe="")


def _problem(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {"detail": body.decode(errors="replace")[:300]}
    return problem if isinstance(problem, dict) else {"detail": str(problem)[:300]}
