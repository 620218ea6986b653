"""What must not stand in a tracked file: paths of one machine, addresses of registries, and unfinished business."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.house.modules import ROOT

FORBIDDEN = {
    "a path of one machine": r"(?<![\w.$}/])/(home|root|Users|work)/[\w.-]+|[A-Z]:\\\\Users|/tmp/[\w.-]+",
    "an address of a registry": (
        r"https?://[^\s\"')]*(pypi|pythonhosted|npmjs|yarnpkg|npmmirror|artifactory|nexus|devpi|conda)[^\s\"')]*"
        r"|--(extra-)?index-url|--registry[ =]|--trusted-host"
    ),
    "unfinished business": r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b",
    "a credential": r"\bAKIA[0-9A-Z]{16}\b|secret_access_key\s*=\s*[\"']?[A-Za-z0-9/+]{40}|BEGIN [A-Z ]*PRIVATE KEY",
}

# file → what may stand there, for a reason
ALLOWED: dict[str, str] = {
    "tests/house/test_tidy.py": "the rules themselves",
}


@cache
def tracked() -> tuple[str, ...]:
    """What git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return tuple(sorted(name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()))


def texts() -> list[tuple[str, str]]:
    found = []
    for name in tracked():
        try:
            found.append((name, Path(ROOT / name).read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_has(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in texts()
        if name not in ALLOWED
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_files_are_text_of_one_kind() -> None:
    """UTF-8, line feeds, and a last line that ends."""
    odd = [name for name, text in texts() if "\r" in text or (text and not text.endswith("\n"))]
    assert odd == []


def test_names_say_what_is_in_them() -> None:
    words = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert [name for name in tracked() if words & set(re.split(r"[/_.]", name))] == []


# Files of more than LONG lines: file → the reason.
LONG = 320
LONGER = {
    "diagnostics/pages.py": "one entry a code",
    "expressions/check.py": "one pass over one tree: a method a form",
    "expressions/evaluate.py": "one closure a form of tree, kept together for its speed",
    "expressions/parse.py": "one grammar",
    "runtime/turn.py": "one activation from its first read to its commit",
}


def test_long_files_have_a_reason() -> None:
    package = "layers/loopstep/python/loopstep/"
    long = {
        name.removeprefix(package)
        for name, text in texts()
        if name.startswith(package) and name.endswith(".py") and text.count("\n") > LONG
    }
    assert long - set(LONGER) == set()
