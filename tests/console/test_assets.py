"""Which files the console has, what their answers say, and that nothing else can be had."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from pathlib import Path

import pytest

from loopstep.console import assets
from loopstep.console.generate import FILE, graph_css

STATIC = assets.STATIC
MODULES = sorted(STATIC.rglob("*.js"))
NAMES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.suffix in (".js", ".css"))
IMPORT = re.compile(r"""(?:from\s*|import\s*\(?\s*)["'](\.[^"']+)["']""")
STATIC_IMPORT = re.compile(r"""(?:^|[;}\s])(?:import|export)\b[^;()]*?from\s*["'](\.[^"']+)["']""")
FIRST_PAGE = 150_000  # bytes over the wire


def name(path: Path) -> str:
    return path.relative_to(STATIC).as_posix()


def imported(file: str, pattern: re.Pattern[str] = IMPORT) -> list[str]:
    """The modules that one names, by their paths below `static`."""
    text = (STATIC / file).read_text(encoding="utf-8")
    return [posixpath.normpath(posixpath.join(posixpath.dirname(file), each)) for each in pattern.findall(text)]


def reached(*files: str) -> set[str]:
    """Those modules with all that they import before they run."""
    found: set[str] = set()
    open_ = list(files)
    while open_:
        file = open_.pop()
        if file not in found:
            found.add(file)
            open_ += imported(file, STATIC_IMPORT)
    return found


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_imported_module_exists(path: Path) -> None:
    assert [each for each in imported(name(path)) if not (STATIC / each).is_file()] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_is_fetched_from_elsewhere(path: Path) -> None:
    text = re.sub(r"(?m)^\s*//.*$|http://www\.w3\.org/\d+/\w+(/\w+)?", "", path.read_text(encoding="utf-8"))
    assert (
        re.findall(r"https?://[^\s'\"`]+|\beval\(|new Function|innerHTML\s*=|dangerouslySet", text) == []
        or path.parent.name == "vendor"
    )


def test_every_module_is_needed() -> None:
    found, open_ = {"app.js"}, ["app.js"]
    while open_:
        for each in imported(open_.pop()):
            if each not in found:
                found.add(each)
                open_.append(each)
    assert {name(path) for path in MODULES} - found == set()


def test_index_preloads_what_runs_before_the_first_page() -> None:
    """Browsers learn of an imported module when its importer has come; so one round trip is enough."""
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    preloaded = set(re.findall(r'rel="modulepreload" href="\./([^"]+)"', index))
    assert preloaded == reached("app.js") - {"app.js"}


def test_first_page_over_the_wire() -> None:
    """Shell, English and the page that is shown first, each file compressed by itself, as API Gateway does."""
    files = reached("app.js", "text/en.js", "pages/plans.js") | {"index.html", "style.css", "graph.css", "icon.svg"}
    sizes = {}
    for file in files:
        found = assets.asset(file)
        assert found is not None
        sizes[file] = len(gzip.compress(found.text.encode("utf-8"), 6)) + 800  # and what an answer's head takes
    assert sum(sizes.values()) < FIRST_PAGE, sizes


def test_the_page_asks_for_lasting_addresses() -> None:
    index = assets.asset("")
    assert index is not None and index.keep == "no-cache"
    links = re.findall(r'(?:src|href)="\./([^"]+)"', index.text)
    assert len(links) > 10 and all(link.startswith(f"at/{assets.build_digest()}/") for link in links)
    for link in links:
        found = assets.asset(link)
        assert found is not None and "immutable" in found.keep
        assert found.text == (STATIC / link.split("/", 2)[2]).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", NAMES)
def test_each_file_has_its_type_and_tag(file: str) -> None:
    found = assets.asset(file)
    assert found is not None
    assert found.content_type == f"text/{'javascript' if file.endswith('.js') else 'css'}; charset=utf-8"
    text = (STATIC / file).read_text(encoding="utf-8")
    assert found.etag == f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"' and found.keep == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "../assets.py",
        "parts/../../assets.py",
        "/etc/passwd",
        "%2e%2e/assets.py",
        "..%2fassets.py",
        "vendor/README.md",
        "vendor/preact.LICENSE",
        "parts",
        "parts/",
        "at",
        "at/0123456789ab/app.js",
        f"at/{assets.build_digest()}/index.html",
        f"at/{assets.build_digest()}/",
        f"at/{assets.build_digest()}/../assets.py",
        "app.js\x00",
        "App.js",
        "\\app.js",
    ],
)
def test_there_is_nothing_else(path: str) -> None:
    assert assets.asset(path) is None


def test_headers_let_nothing_else_in() -> None:
    policy = assets.HEADERS["Content-Security-Policy"]
    assert policy == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
    )
    assert assets.HEADERS["X-Content-Type-Options"] == "nosniff"
    assert assets.HEADERS["Referrer-Policy"] == "no-referrer"


def test_the_page_has_nothing_that_the_policy_forbids() -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:|https?://", index)
    for path in MODULES:
        assert not re.search(r"\sstyle=(?!\$)", path.read_text(encoding="utf-8")) or path.parent.name == "vendor", path


def test_the_style_sheet_of_pictures_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == graph_css(), "run `python -m loopstep.console.generate`"


PUBLISHED = re.compile(r"^\| `([\w.]+)` \| `(\w+)` ([\d.]+), .*`([0-9a-f]{64})` \|$", re.M)


def test_vendored_modules_are_as_published() -> None:
    told = {
        found[0]: found[3] for found in PUBLISHED.findall((STATIC / "vendor/README.md").read_text(encoding="utf-8"))
    }
    assert set(told) == {path.name for path in (STATIC / "vendor").glob("*.js")}
    for file, digest in told.items():
        text = (STATIC / "vendor" / file).read_bytes()
        if file == "hooks.module.js":
            assert text.count(b'"./preact.module.js"') == 1
            text = text.replace(b'"./preact.module.js"', b'"preact"')
        assert hashlib.sha256(text).hexdigest() == digest, file
    assert {path.stem for path in (STATIC / "vendor").glob("*.LICENSE")} == {"preact", "htm"}
