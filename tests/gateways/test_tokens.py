"""Tokens, verified with real keys that a server on loopback publishes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from loopstep.gateways import tokens
from loopstep.gateways.tokens import BadToken, KeysUnavailable, Tokens, fetch_json

AUDIENCE = "loopstep"
RSA, EC, OTHER = (
    rsa.generate_private_key(public_exponent=65537, key_size=2048),
    ec.generate_private_key(ec.SECP256R1()),
    rsa.generate_private_key(public_exponent=65537, key_size=2048),
)


def published(kid: str, key: Any, **more: str) -> dict[str, Any]:
    """The public half as an issuer publishes it."""
    kind, algorithm = (RSAAlgorithm, "RS256") if isinstance(key, rsa.RSAPrivateKey) else (ECAlgorithm, "ES256")
    return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, "alg": algorithm, "use": "sig", **more}


class Issuer:
    """Publishes keys; `asked` are the paths that were fetched."""

    def __init__(self, url: str) -> None:
        self.url, self.asked = url, list[str]()
        self.keys: list[Any] = [published("r", RSA), published("e", EC)]
        self.clock = 1000.0
        self.tokens = Tokens(url, AUDIENCE, f"{url}/keys", fetch_json, lambda: self.clock)

    def reply(self, path: str) -> bytes:
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            return json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"}).encode()
        return json.dumps({"keys": self.keys}).encode()

    def sign(self, key: Any = RSA, kid: str | None = "r", algorithm: str = "RS256", **changed: Any) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 300, **changed}
        given = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(given, key, algorithm, headers={"kid": kid} if kid else {})


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/elsewhere":
                self.send_response(302)
                self.send_header("location", f"{found.url}/keys")
                self.end_headers()
                return
            data = found.reply(self.path)
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *parts: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    found = Issuer(f"http://127.0.0.1:{server.server_port}")
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


def refused(issuer: Issuer, token: str) -> str:
    with pytest.raises(BadToken) as bad:
        issuer.tokens.claims(token)
    assert not any(part and part in str(bad.value) for part in token.split("."))
    return str(bad.value)


def test_what_the_issuer_signs_counts(issuer: Issuer) -> None:
    assert issuer.tokens.claims(issuer.sign())["sub"] == "ada"
    assert issuer.tokens.claims(issuer.sign(EC, "e", "ES256", sub="bob"))["sub"] == "bob"
    assert issuer.tokens.claims(issuer.sign(aud=["other", AUDIENCE]))["aud"] == ["other", AUDIENCE]
    assert issuer.asked == ["/keys"]


def test_the_issuers_configuration_says_where_its_keys_are(issuer: Issuer) -> None:
    issuer.tokens.keys_url = ""
    assert issuer.tokens.claims(issuer.sign())["sub"] == "ada"
    assert issuer.asked == ["/.well-known/openid-configuration", "/keys"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"iss": "https://other.example"}, "InvalidIssuerError"),
        ({"iss": None}, "MissingRequiredClaimError"),
        ({"aud": "other"}, "InvalidAudienceError"),
        ({"aud": None}, "MissingRequiredClaimError"),
        ({"exp": int(time.time()) - 60}, "ExpiredSignatureError"),
        ({"exp": None}, "MissingRequiredClaimError"),
        ({"nbf": int(time.time()) + 3600}, "ImmatureSignatureError"),
        ({"sub": None}, "MissingRequiredClaimError"),
    ],
)
def test_claims_that_do_not_fit(issuer: Issuer, changed: dict[str, Any], why: str) -> None:
    assert refused(issuer, issuer.sign(**changed)) == why


def part(data: Any) -> str:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_no_signature_is_none(issuer: Issuer) -> None:
    for algorithm in ("none", "None", "NONE"):
        _, body, _ = issuer.sign().split(".")
        token = ".".join([part({"alg": algorithm, "typ": "JWT", "kid": "r"}), body, ""])
        assert refused(issuer, token) == "its algorithm does not count"


def test_a_public_key_is_no_secret(issuer: Issuer) -> None:
    """HS256 with the published key as its secret: what a verifier takes that goes by the token's own word."""
    pem = RSA.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    body = issuer.sign().split(".")[1]
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'r'})}.{body}"
    token = f"{signed}.{part(hmac.new(pem, signed.encode(), hashlib.sha256).digest())}"
    assert refused(issuer, token) == "its algorithm does not count"


def test_an_algorithm_that_is_not_its_keys(issuer: Issuer) -> None:
    assert refused(issuer, issuer.sign(EC, "r", "ES256")) == "its algorithm is not that of its key"


def test_a_secret_that_is_published_signs_nothing(issuer: Issuer) -> None:
    secret = b"0123456789abcdef0123456789abcdef"
    issuer.keys.append({"kty": "oct", "k": part(secret), "kid": "o", "alg": "HS256", "use": "sig"})
    assert refused(issuer, issuer.sign(secret, "o", "HS256")) == "its algorithm does not count"
    assert refused(issuer, issuer.sign(kid="o")) == "its key is not the issuer's"


def test_somebody_elses_signature(issuer: Issuer) -> None:
    assert refused(issuer, issuer.sign(OTHER)) == "InvalidSignatureError"
    head, body, signature = issuer.sign().split(".")
    other = part({**json.loads(base64.urlsafe_b64decode(body + "==")), "sub": "mallory"})
    assert refused(issuer, f"{head}.{other}.{signature}") == "InvalidSignatureError"


def test_a_key_for_encryption_signs_nothing(issuer: Issuer) -> None:
    issuer.keys = [published("r", RSA, use="enc")]
    assert refused(issuer, issuer.sign()) == "its key is not the issuer's"


@pytest.mark.parametrize("token", ["", "x", "a.b", "a.b.c", "a.b.c.d", "." * 3, "é.é.é", "x" * 100_000])
def test_what_is_no_token(issuer: Issuer, token: str) -> None:
    assert refused(issuer, token) == "it is no token"


def test_a_new_key_is_found_and_an_old_one_forgotten(issuer: Issuer) -> None:
    assert issuer.tokens.claims(issuer.sign())
    issuer.keys = [published("new", OTHER)]
    issuer.clock += tokens.AGAIN_SECONDS
    assert issuer.tokens.claims(issuer.sign(OTHER, "new"))
    assert refused(issuer, issuer.sign()) == "its key is not the issuer's"
    assert len(issuer.asked) == 2


def test_a_key_that_the_issuer_takes_back_counts_for_a_while(issuer: Issuer) -> None:
    assert issuer.tokens.claims(issuer.sign())
    issuer.keys = [published("e", EC)]
    issuer.clock += tokens.KEYS_SECONDS - 1
    assert issuer.tokens.claims(issuer.sign())
    issuer.clock += 1
    assert refused(issuer, issuer.sign()) == "its key is not the issuer's"


def test_unknown_keys_do_not_make_the_issuer_busy(issuer: Issuer) -> None:
    for number in range(20):
        assert refused(issuer, issuer.sign(OTHER, f"k{number}")) == "its key is not the issuer's"
    assert refused(issuer, issuer.sign(OTHER, None)) == "its key is not the issuer's"
    assert len(issuer.asked) == 1


def test_keys_that_cannot_be_had(issuer: Issuer) -> None:
    issuer.tokens.keys_url = "http://127.0.0.1:1/keys"
    with pytest.raises(KeysUnavailable):
        issuer.tokens.claims(issuer.sign())
    issuer.tokens.keys_url = f"{issuer.url}/elsewhere"  # a redirection is not followed
    with pytest.raises(KeysUnavailable):
        issuer.tokens.claims(issuer.sign())
    issuer.tokens.keys_url = f"{issuer.url}/keys"
    assert issuer.tokens.claims(issuer.sign())["sub"] == "ada"


@pytest.mark.parametrize("url", ["http://issuer.example/keys", "file:///etc/passwd", "ftp://127.0.0.1/keys", ""])
def test_keys_come_by_https_only(url: str) -> None:
    with pytest.raises(KeysUnavailable):
        fetch_json(url)
