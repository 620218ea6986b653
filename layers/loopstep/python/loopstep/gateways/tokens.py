"""Tokens of an issuer (JWT, RFC 7519): their signature by the issuer's published keys, and what they claim.

PyJWT verifies. What stands here is which algorithms count and when the keys are fetched.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import jwt

ALGORITHMS = ("RS256", "ES256")  # none that a public key could be taken for the secret of
KEYS_SECONDS = 900.0  # that fetched keys are believed: a key that the issuer takes back counts as long
AGAIN_SECONDS = 30.0  # before an unknown key lets them be fetched again
LEEWAY_SECONDS = 30.0  # by which clocks may differ
ANSWER_SECONDS = 4.0
MOST_BYTES = 256 * 1024
_LOOPBACK = ("127.0.0.1", "localhost")


class BadToken(Exception):
    """A token that proves nothing; the text says why and has nothing of the token."""


class KeysUnavailable(Exception):
    """The issuer's keys cannot be had."""


@dataclass(slots=True)
class Tokens:
    """Verifies tokens of one issuer for one audience.

    `keys_url` is where its keys stand, "" to ask the issuer's openid-configuration. `fetch` gives the JSON at an
    address, `clock` seconds.
    """

    issuer: str
    audience: str
    keys_url: str
    fetch: Callable[[str], Any]
    clock: Callable[[], float]
    _keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    _fetched: float | None = None

    def claims(self, token: str) -> dict[str, Any]:
        """What a token claims that is signed by the issuer, for the audience, and counts now.

        Raises BadToken, KeysUnavailable.
        """
        try:
            header = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError:
            raise BadToken("it is no token") from None
        if header.get("alg") not in ALGORITHMS:
            raise BadToken("its algorithm does not count")
        key = self._key(header.get("kid"))
        if key.algorithm_name != header["alg"]:
            raise BadToken("its algorithm is not that of its key")
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self.audience,
                issuer=self.issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.InvalidTokenError as invalid:
            raise BadToken(type(invalid).__name__) from None
        return claims

    def _key(self, kid: Any) -> jwt.PyJWK:
        now = self.clock()
        old = self._fetched is None or now - self._fetched >= KEYS_SECONDS
        if old or (kid not in self._keys and self._fetched is not None and now - self._fetched >= AGAIN_SECONDS):
            self._keys, self._fetched = self._read(), now
        found = self._keys.get(kid) if isinstance(kid, str) else None
        if found is None:
            raise BadToken("its key is not the issuer's")
        return found

    def _read(self) -> dict[str, jwt.PyJWK]:
        """The issuer's signing keys by id; those of other kinds are passed over."""
        url = self.keys_url or _of_configuration(
            self.fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        )
        document = self.fetch(url)
        listed = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(listed, list):
            raise KeysUnavailable("this is no set of keys")
        found: dict[str, jwt.PyJWK] = {}
        for each in listed:
            if not isinstance(each, dict) or not isinstance(each.get("kid"), str) or each.get("use", "sig") != "sig":
                continue
            try:
                key = jwt.PyJWK(each)
            except (jwt.PyJWTError, ValueError, TypeError):
                continue
            if key.algorithm_name in ALGORITHMS:
                found[each["kid"]] = key
        return found


def fetch_json(url: str) -> Any:
    """The JSON at an https address, or one of this machine. Raises KeysUnavailable."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise KeysUnavailable("keys are fetched by https only")
    handlers = [urllib.request.ProxyHandler({})] if parts.hostname in _LOOPBACK else []
    try:
        with urllib.request.build_opener(*handlers, _NoRedirect()).open(url, timeout=ANSWER_SECONDS) as answer:
            return json.loads(answer.read(MOST_BYTES))
    except (OSError, ValueError) as fault:
        raise KeysUnavailable(f"no keys from {parts.hostname}: {type(fault).__name__}") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An issuer's keys stand where it says."""

    def redirect_request(self, *parts: Any, **more: Any) -> None:
        return None


def _of_configuration(document: Any) -> str:
    url = document.get("jwks_uri") if isinstance(document, dict) else None
    if not isinstance(url, str):
        raise KeysUnavailable("the issuer's configuration names no keys")
    return url
