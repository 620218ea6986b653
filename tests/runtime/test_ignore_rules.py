"""The rules of an ignore file, held against git's own where git is there."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.runtime.ignore_rules import ignore_rules

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

CASES = [
    ("*.log", "a.log b/c.log", "a.txt a.log.txt"),
    ("/a.txt", "a.txt", "b/a.txt"),
    ("b/", "b/x a/b/x", "b a/b"),
    ("a/b", "a/b a/b/c", "x/a/b"),
    ("**/c", "c a/c a/b/c", "cc"),
    ("a/**", "a/b a/b/c", "b/a"),
    ("a/**/z", "a/z a/b/z a/b/c/z", "a/zz z"),
    ("*\n!keep.txt", "x a/x", "keep.txt"),
    ("a\n!a/keep.txt", "a/keep.txt a", "keep.txt"),
    ("a/*\n!a/keep.txt", "a/x", "a/keep.txt"),
    ("# a\n\\#b\n\\!c", "#b !c", "#c a"),
    ("c  ", "c", "a"),
    ("[a-c]?x", "a1x c2x", "d1x ax"),
    ("[!a]b", "cb", "ab b"),
    ("[[:digit:]]", "1", "a"),
    ("[]-]", "] -", "a"),
    ("[a", "", "a [a"),
    ("\\", "", "a"),
    ("a\\*", "a*", "ab"),
    ("***", "a a/b", ""),
    ("a//b\n//c\n/", "", "a/b c"),
    ("客户/*\n!客户/报告.md", "客户/x", "客户/报告.md 报告.md"),
    ("\ufeffa\r\nb\r", "a b", "c"),
]


@pytest.mark.parametrize(("text", "left_out", "kept"), CASES)
def test_rules(text: str, left_out: str, kept: str) -> None:
    judge = ignore_rules(text)
    assert [path for path in left_out.split() if not judge(path)] == []
    assert [path for path in kept.split() if judge(path)] == []


def test_a_blank_is_kept_by_a_backslash() -> None:
    judge = ignore_rules("a\\ \nb c  \n\td")
    assert judge("a ") and judge("b c") and judge("\td")
    assert not judge("a") and not judge("d")


def test_hostile_rules_take_no_time() -> None:
    """What a backtracking matcher would think about for years."""
    text = "\n".join(["*a" * 200 + "b", "**/" * 200 + "x", "[a]*" * 200])
    began = time.perf_counter()
    judge = ignore_rules(text)
    assert not judge("/".join(["a" * 60] * 14))
    assert time.perf_counter() - began < 5


# -- beside git ------------------------------------------------------------------------------------------------------

NAMES = ["a", "b", "ab", "a.b", "-", "]", "[", "#", "!", "a b", "\\", "*", "^", "A", "1", "客"]
PIECES = [*"ab.1-]^!#A客", "*", "**", "?", "[", "]", "[a-b]", "[!a]", "[^b]", "[[:alpha:]]", "[[:digit:]-]", "[]a]",
          "[\\]]", "\\", "\\a", "\\*", "/", "/", "//", "/**", "**/", "/**/", " ", "\\ ", "a/", "[a/b]", "[:a:]",
          "[b-a]"]  # fmt: skip
RULE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
LINES = st.lists(st.tuples(st.sampled_from(["", "", "!"]), RULE).map("".join), min_size=1, max_size=5)


def comparable(text: str, paths: list[str]) -> list[str]:
    """Git counts bytes and we count characters: where that shows, only the paths in which they are the same."""
    return [path for path in paths if path.isascii()] if "?" in text or "[" in text else paths


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A repository with a tree of odd names, and the paths of its files."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    paths = [*(f"{name}.f" for name in NAMES), *(f"{one}/{two}" for one in NAMES for two in ("a", "b", "1", "客"))]
    paths += [f"deep/{one}/{two}/{three}" for one in ("ab", "a b") for two in NAMES[:6] for three in ("a", "b", "]")]
    paths += [f"x/{one}/a/b/{two}" for one in "ab1" for two in "ab1"]
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root, sorted(paths)


@needs_git
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_same_as_git(repository: tuple[Path, list[str]], data: st.DataObject) -> None:
    root, every = repository
    text = "\n".join(data.draw(LINES)) + "\n"
    paths = comparable(text, every)
    (root / ".gitignore").write_bytes(text.encode())
    asked = "\0".join(paths).encode()
    command = ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "-z", "--stdin"]
    done = subprocess.run(command, cwd=root, input=asked, capture_output=True)
    assert done.returncode in (0, 1), done.stderr
    ignored = set(done.stdout.decode().split("\0")) - {""}
    judge = ignore_rules(text)
    assert sorted(path for path in paths if judge(path)) == sorted(ignored), text
