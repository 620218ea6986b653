"""What a document is, and how it is refused when it is none (LANGUAGE §2)."""

from __future__ import annotations

import pytest

from loopstep.source.document import Mapping, Scalar, Sequence, Value, plain
from loopstep.source.limits import DOCUMENT_BYTES, NESTING
from loopstep.source.load import load


def read(text: bytes | str) -> Value:
    root, faults = load(text)
    assert root is not None and not faults, faults
    return root


def refused(text: bytes | str) -> tuple[str, int, int]:
    """The code, line and column of the one fault of a text that is no document."""
    root, faults = load(text)
    assert root is None
    (fault,) = faults
    return fault.code, fault.span.line, fault.span.column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: [x, {c: true}]\n", {"a": 1, "b": ["x", {"c": True}]}),
        ('{"a": [1, -2.5e3, "\\u00e9\\/\\ud83d\\ude00"], "b": null}', {"a": [1, -2500.0, "é/😀"], "b": None}),
        ('{\n\t"a":\t1\r\n}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ("{a: b, c: 'd'}", {"a": "b", "c": "d"}),
        ("\ufeffa: 1", {"a": 1}),
        (b"\xef\xbb\xbf{}", {}),
        ("---\na: 1\n...\n# the end\n", {"a": 1}),
        ("%YAML 1.2\n---\na: 1", {"a": 1}),
        ("# first\na: 1 # second\n# last", {"a": 1}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("a: |\n  x\n  y\nb: >-\n  u\n  v\n", {"a": "x\ny\n", "b": "u v"}),
        ("a:\nb: ~\n", {"a": None, "b": None}),
        ("true: 1\nnull: 2\n3: 4\n", {"true": 1, "null": 2, "3": 4}),
        ("[a, b]", ["a", "b"]),
        ("text", "text"),
        ('a: "x\u2028y"\nb: c\u0085d\ne\u2029: 1\n', {"a": "x\u2028y", "b": "c\u0085d", "e\u2029": 1}),
        ("a: '\t'\nb: |\n  1\t2\nc: 1 # \t\n", {"a": "\t", "b": "1\t2\n", "c": 1}),
        ('"<<": 1', {"<<": 1}),
    ],
)
def test_reads(text: bytes | str, expected: object) -> None:
    assert plain(read(text)) == expected


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        (" \n\n", 1, 1),
        ("# only a comment\n", 1, 1),
        ("---\n", 1, 1),
        ("a: [1, 2\n", 1, 8),
        ("a: b: c", 1, 5),
        ("a: 'x", 1, 5),
        ("a: &x 1", 1, 4),
        ("a: *x", 1, 4),
        ("a: !!str 1", 1, 4),
        ("a: ! 1", 1, 4),
        ("%TAG ! tag:x,2000:\n---\na: 1", 1, 1),
        ("a: 1\n<<: {b: 2}", 2, 1),
        ("a: 1\n---\nb: 2", 2, 1),
        ("a: {{ x }}", 1, 5),
        ("? [a]\n: 1", 1, 3),
        (": 1", 1, 1),
        ("a:\tb", 1, 3),
        ("a:\n\tb: 1", 2, 1),
        ("a: x\ty", 1, 5),
        ("a: 1\t# comment", 1, 5),
        ("a: \x00", 1, 4),
        ("a: \x07", 1, 4),
        ("a: @b", 1, 4),
        ("a: 1\nb\nc: 2", 3, 1),
        (b"a: 1\nb: \xff", 2, 4),
        ("a: 1".encode("utf-16"), 1, 1),
        ("a: \ud800", 1, 4),
        ('{"a": "\\ud800"}', 1, 7),
        ('{"a": "\\q"}', 1, 8),
        ('{"a": "x\ny\x01"}', 2, 2),
        ('{"a": [1, 2}', 1, 12),
        ('{"a": "b"', 1, 9),
        ('{"a": 1} x', 1, 10),
    ],
)
def test_refuses(text: bytes | str, line: int, column: int) -> None:
    code, at_line, at_column = refused(text)
    assert (code, at_line) == ("document.syntax", line)
    assert at_column == column


def test_every_duplicate_key_is_reported_and_the_first_value_stands() -> None:
    for text in (
        "a: 1\nb: {c: 2, c: 3}\na: {d: 4, d: 5}\n",
        '{"a": 1,\n"b": {"c": 2, "c": 3},\n"a": {"d": 4, "d": 5}}',
    ):
        root, faults = load(text)
        assert root is not None and plain(root) == {"a": 1, "b": {"c": 2}}
        assert [(fault.code, fault.span.line, fault.pointer) for fault in faults] == [
            ("document.duplicate_key", 2, "/b/c"),
            ("document.duplicate_key", 3, "/a"),
            ("document.duplicate_key", 3, "/a/d"),
        ]


def test_a_syntax_fault_comes_with_the_duplicates_before_it() -> None:
    root, faults = load("a: 1\na: 2\nb: &x 3\n")
    assert root is None
    assert [fault.code for fault in faults] == ["document.duplicate_key", "document.syntax"]


@pytest.mark.parametrize("nested", ["[", "{a: ", '{"a": ', "- ", "? "])
def test_depth(nested: str) -> None:
    for levels in (NESTING + 1, 900, 100_000):
        assert refused((nested * levels)[:DOCUMENT_BYTES])[0] in ("limit.depth", "document.syntax")


def test_depth_counts_the_document_itself() -> None:
    assert plain(read("[" * NESTING + "]" * NESTING)) != []
    assert refused("[" * (NESTING + 1) + "]" * (NESTING + 1)) == ("limit.depth", 1, NESTING + 1)
    assert refused("{a: " * (NESTING + 1) + "}" * (NESTING + 1))[0] == "limit.depth"


def test_size_is_measured_in_bytes() -> None:
    text = "a: " + "é" * ((DOCUMENT_BYTES - 4) // 2)
    assert len(text.encode()) in (DOCUMENT_BYTES, DOCUMENT_BYTES - 1)
    assert load(text)[0] is not None and load(text.encode())[0] is not None
    assert refused(text + "éé") == refused((text + "éé").encode()) == ("document.too_large", 1, 1)


def test_places() -> None:
    root = read("a:\n  客户: [x, 'yy']\n  b: |\n    text\nc: {d: 1}\n")
    assert isinstance(root, Mapping)
    inner = root.entries["a"]
    assert isinstance(inner, Mapping)
    items = inner.entries["客户"]
    assert isinstance(items, Sequence)
    assert inner.at_key("客户") == ((2, 3, 2, 5), "/a/客户")
    assert inner.key_spans["b"] == (3, 3, 3, 4)
    assert items.span == (2, 7, 2, 16)
    assert items.items[1].span == (2, 11, 2, 15)
    assert items.items[1].pointer() == "/a/客户/1"
    assert inner.span[:2] == (2, 3)
    assert root.entries["c"].span == (5, 4, 5, 10)
    assert root.pointer() == ""


def test_places_in_json_and_with_carriage_returns() -> None:
    root = read('{"a":\r\n  [1,\r "b~/" ]}')
    assert isinstance(root, Mapping)
    items = root.entries["a"]
    assert isinstance(items, Sequence)
    assert items.items[1].span == (3, 2, 3, 7)
    assert root.span == (1, 1, 3, 10)


def test_pointers_escape() -> None:
    root = read('{"a/b": {"~": 1}}')
    assert isinstance(root, Mapping)
    inner = root.entries["a/b"]
    assert isinstance(inner, Mapping) and inner.entries["~"].pointer() == "/a~1b/~0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v: abc > 3", (1, 8, 1, 9)),
        ("v: 'abc > 3'", (1, 9, 1, 10)),
        ('v: "abc > 3"', (1, 9, 1, 10)),
        ("v: 'a''c > 3'", (1, 10, 1, 11)),
        ('v: "\\x61b\\u0063 > 3"', (1, 17, 1, 18)),
        ('{"v": "\\ud83d\\ude00bc > 3"}', (1, 23, 1, 24)),
        ("客: 数量c > 3", (1, 8, 1, 9)),
        ("v: |\n  abc > 3\n", (1, 4, 3, 1)),
        ("v: abc\n  > 3\n", (1, 4, 2, 6)),
    ],
)
def test_within_a_scalar(text: str, expected: tuple[int, int, int, int]) -> None:
    root = read(text)
    assert isinstance(root, Mapping)
    scalar = next(iter(root.entries.values()))
    assert isinstance(scalar, Scalar)
    assert scalar.within(4, 5).span == expected


def test_within_stays_inside() -> None:
    root = read("v: 'ab'")
    assert isinstance(root, Mapping)
    scalar = root.entries["v"]
    assert isinstance(scalar, Scalar)
    assert scalar.within(2, 9).span == (1, 7, 1, 7)
    assert scalar.within(0, 0).span == (1, 5, 1, 5)


def test_an_omitted_value_stands_behind_its_name() -> None:
    root = read("a:\n\n# comment\nb: 1\n")
    assert isinstance(root, Mapping)
    assert root.entries["a"].span == (1, 3, 1, 3)


@pytest.mark.parametrize(
    "text", ["a: '" + "\t" * 900_000 + "'", "a: 1\n" + "#\t\n" * 200_000, "a: 1 #" + "\t" * 900_000]
)
def test_many_tabs_where_they_may_stand(text: str) -> None:
    assert read(text)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a: 'x'\tb", 1, 8),
        ("a: '\t'\t# b", 1, 7),
        ("# \t\na: '\t'\nb:\t1", 3, 3),
        ("a: '#'\t", 1, 7),
        ("a: [1,\t2]", 1, 7),
    ],
)
def test_tabs_beside_texts_and_comments(text: str, line: int, column: int) -> None:
    code, at_line, _ = refused(text)
    assert (code, at_line) == ("document.syntax", line)
