"""Every text is there in both languages, with the same places to fill, and every text that is asked for is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loopstep.console.assets import STATIC

ENTRY = re.compile(r"^  (?:'([^']+)'|(\w+)):\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"),$", re.M)
ASKED = re.compile(r"\b(t|n|has)\(\s*'([^']+)'")
CHOSEN = re.compile(r"\bt\([^'`)]*\? '([^']+)' : '([^']+)'")
PARTS = re.compile(r"\bt\(`([^`$]*)\$\{")
LANGUAGES = ("en", "zh")


def entries(path: Path) -> list[tuple[str, str]]:
    return [(found[0] or found[1], found[2] or found[3]) for found in ENTRY.findall(path.read_text(encoding="utf-8"))]


def texts(language: str) -> dict[str, str]:
    return {key: text for path in sorted((STATIC / "text" / language).glob("*.js")) for key, text in entries(path)}


def sources() -> str:
    files = [path for path in STATIC.rglob("*.js") if not {"text", "vendor"} & set(path.relative_to(STATIC).parts[:1])]
    return re.sub(r"(?m)^\s*(//|/?\*).*$", "", "\n".join(path.read_text(encoding="utf-8") for path in files))


@pytest.mark.parametrize(
    "path", sorted((STATIC / "text").glob("*/*.js")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_every_line_is_a_text(path: Path) -> None:
    """One key a line, so that what is compared here is what the browser reads."""
    body = path.read_text(encoding="utf-8").partition("export default {")[2]
    assert [
        line for line in body.splitlines()[1:-1] if line.strip() and not ENTRY.fullmatch(line) and "//" not in line
    ] == []
    assert entries(path) and path.name in (STATIC / "text" / f"{path.parent.name}.js").read_text(encoding="utf-8")


def test_both_languages_have_every_text() -> None:
    english, chinese = (texts(language) for language in LANGUAGES)
    assert set(english) ^ set(chinese) == set()
    holes = {key: re.findall(r"\{\w+\}", text) for key, text in english.items()}
    assert {key for key, text in chinese.items() if set(re.findall(r"\{\w+\}", text)) != set(holes[key])} == set()
    assert {key for language in LANGUAGES for key, text in texts(language).items() if not text.strip()} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_stands_twice(language: str) -> None:
    keys = [key for path in (STATIC / "text" / language).glob("*.js") for key, _ in entries(path)]
    assert sorted({key for key in keys if keys.count(key) > 1}) == []


def test_every_text_that_is_asked_for_is_there() -> None:
    known, code = set(texts("en")), sources()
    for call, key in ASKED.findall(code):
        if call == "n":
            assert {f"{key}.one", f"{key}.other"} <= known, key
        elif call == "t":
            assert key in known, key
    for pair in CHOSEN.findall(code):
        assert set(pair) <= known, pair
    for beginning in PARTS.findall(code):
        assert any(key.startswith(beginning) for key in known), beginning
