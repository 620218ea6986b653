"""Working directories, in memory and in the bucket: what nodes may see and write, and that no path leads out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moto import mock_aws

from loopstep.gateways.files import Caps, File, Files, S3Files
from loopstep.runtime.working_directory import (
    IGNORE_BYTES,
    Ignored,
    NameTaken,
    NoSuchFile,
    NotText,
    TooLarge,
    UnsafePath,
    WorkingDirectory,
    admit,
    safe_path,
)
from tests.memory_files import MemoryFiles

CAPS = Caps(files=4, file_bytes=100, run_bytes=250)


@pytest.fixture(params=["memory", "s3"])
def files(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    if request.param == "memory":
        yield MemoryFiles(CAPS)
        return
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        s3: Any = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket="values")
        s3.put_object(Bucket="values", Key="run/r/x", Body=b"a value")
        s3.put_object(Bucket="values", Key="files/r2/a.txt", Body=b"another run's")
        yield S3Files(lambda: s3, "values", CAPS)


def test_what_is_written_is_listed_and_read(files: Files) -> None:
    directory = WorkingDirectory(files, "r")
    assert directory.list() == []
    directory.write("b/客户.md", "你好")
    directory.write("./a.txt", "")
    directory.write("a.txt", "1")
    assert directory.list() == ["a.txt", "b/客户.md"]
    assert directory.read("b/./客户.md", 6) == "你好" and directory.read("a.txt", 1) == "1"
    assert [each for each in ("b", "b/", ".", "a.txt", "a", "..") if directory.has_directory(each)] == ["b", "b/", "."]
    assert [each for each in ("b", "a.txt", "./a.txt", "a", "../a.txt") if directory.has_file(each)] == [
        "a.txt",
        "./a.txt",
    ]


def test_an_empty_file(files: Files) -> None:
    WorkingDirectory(files, "r").write("a", "")
    assert WorkingDirectory(files, "r").read("a", 0) == ""


def test_two_spellings_are_one_file(files: Files) -> None:
    directory = WorkingDirectory(files, "r")
    directory.write("cafe\u0301.txt", "1")
    assert directory.list() == ["caf\u00e9.txt"] and directory.read("caf\u00e9.txt", 9) == "1"


def test_what_is_not_there(files: Files) -> None:
    files.write("r", "ab", b"1")
    for path in ("a", "abc", "ab/c", "A"):
        with pytest.raises(NoSuchFile):
            WorkingDirectory(files, "r").read(path, 10)


def test_runs_do_not_see_each_other(files: Files) -> None:
    for run in ("r", "r2", "r-1"):
        WorkingDirectory(files, run).write("a.txt", run)
    for run in ("r", "r2", "r-1"):
        directory = WorkingDirectory(files, run)
        assert directory.list() == ["a.txt"] and directory.read("a.txt", 9) == run
    for path in ("../r2/a.txt", "r2/a.txt", "../../files/r2/a.txt", "/files/r2/a.txt", "..%2fr2%2fa.txt"):
        with pytest.raises((UnsafePath, NoSuchFile)):
            WorkingDirectory(files, "r").read(path, 9)
    assert WorkingDirectory(files, "r3").list() == []


@pytest.mark.parametrize(("size", "read"), [(9, True), (10, True), (11, False)])
def test_a_file_is_read_up_to_the_limit(files: Files, size: int, read: bool) -> None:
    files.write("r", "a", b"x" * size)
    if read:
        assert len(WorkingDirectory(files, "r").read("a", 10)) == size
    else:
        with pytest.raises(TooLarge):
            WorkingDirectory(files, "r").read("a", 10)


@pytest.mark.parametrize("body", [b"\xff\xfe", b"a\0b", b"\xc0\xae", b"\xed\xa0\x80"])
def test_what_is_no_text(files: Files, body: bytes) -> None:
    files.write("r", "a", body)
    with pytest.raises(NotText):
        WorkingDirectory(files, "r").read("a", 10)


def test_half_of_a_surrogate_pair_is_not_written(files: Files) -> None:
    with pytest.raises(NotText):
        WorkingDirectory(files, "r").write("a", "\ud800")
    assert files.listing("r") == []


# -- .agentignore ----------------------------------------------------------------------------------------------------


def test_what_the_ignore_file_names_is_not_there(files: Files) -> None:
    files.write("r", ".agentignore", b"*.key\nsecret/\n")
    for path in ("a.key", "secret/a.txt", "b.txt"):
        files.write("r", path, b"1")
    directory = WorkingDirectory(files, "r")
    assert directory.list() == ["b.txt"]
    for path in ("a.key", "./a.key", "secret/a.txt", ".agentignore", "./.agentignore", "secret/new.txt", "new.key"):
        with pytest.raises(NoSuchFile):
            directory.read(path, 100)
        with pytest.raises(Ignored):
            directory.write(path, "2")
    assert files.read("r", ".agentignore", 100) == b"*.key\nsecret/\n" and files.read("r", "a.key", 9) == b"1"


def test_no_refusal_names_what_is_ignored(files: Files) -> None:
    files.write("r", ".agentignore", b"secret/\n")
    files.write("r", "secret/the-key", b"1")
    with pytest.raises(NameTaken) as taken:  # the rule is about directories, so a file may be called so
        WorkingDirectory(files, "r").write("secret", "x")
    assert "the-key" not in str(taken.value)


def test_nodes_cannot_make_an_ignore_file(files: Files) -> None:
    with pytest.raises(Ignored):
        WorkingDirectory(files, "r").write(".agentignore", "!*")
    WorkingDirectory(files, "r").write("sub/.agentignore", "*")  # only the root's counts
    assert WorkingDirectory(files, "r").list() == ["sub/.agentignore"]


@pytest.mark.parametrize(("size", "read"), [(IGNORE_BYTES - 1, True), (IGNORE_BYTES, True), (IGNORE_BYTES + 1, False)])
def test_a_too_large_ignore_file_keeps_everything_away(files: Files, size: int, read: bool) -> None:
    files.write("r", ".agentignore", b"a".ljust(size, b"\n"))
    files.write("r", "a", b"1")
    files.write("r", "b", b"1")
    directory = WorkingDirectory(files, "r")
    if read:
        assert directory.list() == ["b"] and directory.read("b", 9) == "1"
        return
    for act in (directory.list, lambda: directory.read("b", 9), lambda: directory.write("c", "")):
        with pytest.raises(TooLarge):
            act()


def test_an_ignore_file_in_another_spelling(files: Files) -> None:
    files.write("r", ".agentignore", "cafe\u0301/\n".encode())
    files.write("r", "caf\u00e9/a", b"1")
    assert WorkingDirectory(files, "r").list() == []


def test_an_ignore_file_of_any_bytes(files: Files) -> None:
    files.write("r", ".agentignore", b"\xff\xfe\0\n*.key\n")
    files.write("r", "a.key", b"1")
    assert WorkingDirectory(files, "r").list() == []


# -- caps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "fits"), [(99, True), (100, True), (101, False)])
def test_bytes_of_a_file(files: Files, size: int, fits: bool) -> None:
    _writes(files, "a", size, fits)


@pytest.mark.parametrize(("count", "fits"), [(2, True), (3, True), (4, False)])
def test_count_of_files(files: Files, count: int, fits: bool) -> None:
    for number in range(count):
        files.write("r", f"f{number}", b"1")
    _writes(files, "a", 1, fits)
    _writes(files, "f0", 2, True)  # one in place of another


@pytest.mark.parametrize(("size", "fits"), [(49, True), (50, True), (51, False)])
def test_bytes_of_a_run(files: Files, size: int, fits: bool) -> None:
    files.write("r", "b", b"x" * 100)
    files.write("r", "c", b"x" * 100)
    files.write("other", "d", b"x" * 100)
    _writes(files, "a", size, fits)
    if fits:
        _writes(files, "a", 50, True)


def _writes(files: Files, path: str, size: int, fits: bool) -> None:
    if fits:
        WorkingDirectory(files, "r").write(path, "x" * size)
        assert files.find("r", path) is not None
        return
    before = files.listing("r")
    with pytest.raises(TooLarge):
        WorkingDirectory(files, "r").write(path, "x" * size)
    assert files.listing("r") == before


def test_a_name_is_a_file_or_a_directory(files: Files) -> None:
    directory = WorkingDirectory(files, "r")
    directory.write("a/b", "1")
    directory.write("ab", "1")
    for path in ("a", "a/b/c"):
        with pytest.raises(NameTaken):
            directory.write(path, "2")


def test_the_ignore_file_has_a_cap_of_its_own() -> None:
    caps = Caps(file_bytes=10 * IGNORE_BYTES)
    admit([], ".agentignore", IGNORE_BYTES, caps)
    with pytest.raises(TooLarge):
        admit([File("a", 1)], ".agentignore", IGNORE_BYTES + 1, caps)


# -- hostile paths ---------------------------------------------------------------------------------------------------

SAFE = ["a", "docs/a.md", "./a", ".hidden", "..a", "a..", "a b", "客户/报告.md", "100%", "50%off", "~", "ab:c", "-x",
        "caf\u00e9", "\u0646\u200c\u0627.txt", "👩\u200d💻.md", "(1).txt", "&amp;", "$HOME", "a" * 900]  # fmt: skip
UNSAFE = ["", ".", "..", "/", "/etc/passwd", "a//b", "a/", "../a", "a/../b", "a/..", "a/.", ". .", "a/ /b", "... /a",
          "a\\b", "..\\a", "a\0", "a\nb", "a\tb", "a\x7f", "\x85", "a\u2028b", "\u202etxt.exe", "C:a", "c:/x",
          "%2e%2e/a", "a%2fb", "..%2fa", "%2E%2E%2F", "a%00b", "%5c..", "%252e%252e", "%c0%ae%c0%ae/a", "a%41",
          "．．/a", "a／b", "‥/a", "․․/a", "a＼b", "\uff0e\uff0e\uff0fa", "Ｃ:a", ".\u200b./a", "\u200b/a", "\ufeff/a",
          "\u00a0/a", "\u3000", "\ufffd", "℀", "\ud800", "a" * 901, "客" * 301, "a/" * 600]  # fmt: skip


@pytest.mark.parametrize("path", SAFE)
def test_safe_paths(path: str) -> None:
    assert safe_path(path) == unicodedata.normalize("NFC", path.removeprefix("./"))


@pytest.mark.parametrize("path", UNSAFE)
def test_unsafe_paths(path: str) -> None:
    with pytest.raises(UnsafePath):
        safe_path(path)


@pytest.mark.parametrize("path", [None, 1, b"a", ["a"], {"path": "a"}, True])
def test_what_is_no_text_is_no_path(path: Any) -> None:
    with pytest.raises(UnsafePath):
        safe_path(path)


HOSTILE = [*"/\\.%:~\0\n a客", "..", "../", "..\\", "%2e", "%2F", "%252e", "%c0%af", "．", "／", "‥", "․", "＼", "℀",
           "\u200b", "\u202e", "\u0338", "\ud800", "files", "r2", "\u0301", "\u0f00", "C:", "....//", "\u3000",
           "÷"]  # fmt: skip
PATHS = st.one_of(
    st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join),
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=3)), max_size=8).map("/".join),
    st.text(max_size=30).map(lambda text: quote(quote(text, errors="replace"), safe="%")),
    st.tuples(st.sampled_from(HOSTILE), st.integers(200, 2000)).map(lambda each: each[0] * each[1]),
)


@settings(max_examples=2000, deadline=None)
@given(PATHS)
def test_no_path_leads_out(path: str) -> None:
    """Whoever takes the object's key for something else than its characters is still inside the run's directory."""
    files = MemoryFiles()
    files.write("r2", "a", b"another run's")
    directory = WorkingDirectory(files, "r")
    try:
        directory.write(path, "x")
    except UnsafePath:
        assert files.listing("r") == []
        with pytest.raises((UnsafePath, NoSuchFile)):
            directory.read(path, 100)
        return
    (written,) = files.listing("r")
    assert list(files.objects) == [("r2", "a"), ("r", written.path)] and files.objects["r2", "a"] == b"another run's"
    assert directory.list() == [written.path] and directory.read(path, 9) == directory.read(written.path, 9) == "x"
    assert safe_path(written.path) == written.path and len(f"files/{'r' * 70}/{written.path}".encode()) <= 1024
    for seen in _readings(written.path):
        assert _resolved(seen)[: len("files/r/")] == "files/r/" and len(_resolved(seen)) > len("files/r/"), seen


def _readings(path: str) -> Iterator[str]:
    """The path as it stands, decoded, folded, and with the slashes of another system."""
    for text in (path, unquote(path), unquote(unquote(path))):
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            folded = unicodedata.normalize(form, text)
            yield folded
            yield folded.replace("\\", "/")
            yield "".join(each for each in folded if unicodedata.category(each) != "Cf")


def _resolved(path: str) -> str:
    """Where a file system that resolves dots would end, from the run's directory."""
    stack = ["files", "r"]
    if path.startswith("/"):
        stack = [""]
    for segment in path.split("/"):
        if segment == "..":
            stack = stack[:-1]
        elif segment not in ("", "."):
            stack.append(segment)
    return "/".join(stack)


def test_of_a_name_that_is_both_the_directory_is_there(files: Files) -> None:
    """Two links, each given before the other was used."""
    files.write("r", "clash", b"file")
    files.write("r", "clash/in.txt", b"below")
    files.write("r", "clash-a", b"beside")
    directory = WorkingDirectory(files, "r")
    assert directory.list() == ["clash-a", "clash/in.txt"]
    assert directory.read("clash/in.txt", 10) == "below" and directory.read("clash-a", 10) == "beside"
    assert (directory.has_file("clash"), directory.has_directory("clash")) == (False, True)
    with pytest.raises(NoSuchFile):
        directory.read("clash", 10)
    for path in ("clash", "clash/in.txt"):
        with pytest.raises(NameTaken):
            directory.write(path, "again")
    files.remove("r", "clash")
    directory.write("clash/in.txt", "again")
    assert directory.read("clash/in.txt", 10) == "again"


def test_an_ignore_file_that_is_a_directory_too_still_rules(files: Files) -> None:
    files.write("r", ".agentignore", b"*")
    files.write("r", ".agentignore/x", b"x")
    assert WorkingDirectory(files, "r").list() == []
