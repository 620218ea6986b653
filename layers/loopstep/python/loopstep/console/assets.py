"""The console's files as answers have them: text, content type, entity tag, how long to keep, and what a page may do.

A file has two addresses: its own (`app.js`), asked about each time, and one below the digest of all files
(`at/<digest>/app.js`), which never changes and may be kept. `index.html` names the latter, modules name each other
relative to themselves.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

STATIC = Path(__file__).with_name("static")
INDEX = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
_FOLDER = "at"
_FOREVER = "public, max-age=31536000, immutable"
_ASK = "no-cache"

# Scripts, styles and pictures from here only, requests to this API only, and no page may put this one into a frame.
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file. `etag` is quoted as the header has it, `keep` the value of Cache-Control."""

    text: str
    content_type: str
    etag: str
    keep: str


def asset(path: str) -> Asset | None:
    """The file at a path below the console's address, None where there is none.

    Paths are looked up among the files that exist and never become a path of the file system.
    """
    folder, _, rest = path.partition("/")
    lasting = folder == _FOLDER
    if lasting:
        digest, _, path = rest.partition("/")
        if digest != build_digest() or path in ("", INDEX):
            return None
    text = _files().get(path or INDEX)
    if text is None:
        return None
    if (path or INDEX) == INDEX:
        text = text.replace('="./', f'="./{_FOLDER}/{build_digest()}/')
    tag = hashlib.sha256(text.encode("utf-8")).hexdigest()[:20]
    return Asset(text, _TYPES[PurePosixPath(path or INDEX).suffix], f'"{tag}"', _FOREVER if lasting else _ASK)


@cache
def build_digest() -> str:
    """Of all files together: another console has another one."""
    whole = hashlib.sha256()
    for name, text in sorted(_files().items()):
        whole.update(f"{name}\0{len(text)}\0{text}".encode())
    return whole.hexdigest()[:12]


@cache
def _files() -> dict[str, str]:
    """Every file that has a content type, by its path below `static`."""
    return {
        path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8")
        for path in STATIC.rglob("*")
        if path.suffix in _TYPES and path.is_file()
    }
