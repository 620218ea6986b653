"""Documents as passages, and what is refused with its place: never a traceback, never much time."""

from __future__ import annotations

import contextlib
import random
import time

import pytest

from loopstep.knowledge import reading
from loopstep.knowledge.passage import Passage, Unreadable
from loopstep.knowledge.port import DOCUMENT, GRAPH, KINDS, STRUCTURED_DATA
from loopstep.knowledge.reading import FORMS, MOST_BYTES

KIND_OF = {"markdown": DOCUMENT, "text": DOCUMENT, "html": DOCUMENT, "csv": STRUCTURED_DATA, "jsonl": STRUCTURED_DATA}


def read(form: str, text: str | bytes, kind: str = "") -> list[Passage]:
    data = text.encode() if isinstance(text, str) else text
    return reading.passages(kind or KIND_OF[form], form, data, "the name")


def faults(form: str, text: str | bytes, kind: str = "") -> list[tuple[int, str]]:
    with pytest.raises(Unreadable) as refused:
        read(form, text, kind)
    return [(each.line, each.message) for each in refused.value.problems]


# -- text ------------------------------------------------------------------------------------------------------------

GUIDE = """---
title: "Guide"
---
Before.

# Refunds

Within 30 days.

## How

Write to us.

```
# no heading
```

## 多久 ##

三天。

Shipping
========

Free.
"""


def test_markdown_by_heading() -> None:
    found = [(each.title, each.line, each.text) for each in read("markdown", GUIDE)]
    assert found == [
        ("Guide", 4, "Before."),
        ("Refunds", 6, "# Refunds\n\nWithin 30 days."),
        ("Refunds › How", 10, "## How\n\nWrite to us.\n\n```\n# no heading\n```"),
        ("Refunds › 多久", 18, "## 多久 ##\n\n三天。"),
        ("Shipping", 22, "Shipping\n========\n\nFree."),
    ]


def test_a_heading_alone_is_no_passage_where_others_stand_under_it() -> None:
    assert [each.title for each in read("markdown", "# A\n\n## B\n\nText.\n\n## C\n")] == ["A › B", "A › C"]


@pytest.mark.parametrize("line", ["#hash", "####### seven", "    # code", "a # b", "- # x", "| --- |"])
def test_what_is_no_heading(line: str) -> None:
    assert [each.title for each in read("markdown", f"Text\n\n{line}\n")] == ["the name"]


PAGE = """<!DOCTYPE html><html><head><title>The  Page &amp; more</title><style>p {x: "</p>"}</style>
<script>if (a < b) document.write("<h1>no</h1>")</script></head>
<body><p>Intro<br>second</p>
<h1 class='a > b'>Refunds</h1><p>Within <b>30</b>
days &lt;3&gt; caf&eacute;.</p><ul><li>one<li>two</ul>
<!-- <h1>hidden</h1> -->
<H2>How</H2><div><div>Write</div>to us</div><table><tr><td>a<td>b</tr></table>
3 < 4 and a <b></body></html>"""


def test_html_by_heading() -> None:
    found = [(each.title, each.line, each.text) for each in read("html", PAGE)]
    assert found == [
        ("The Page & more", 3, "Intro\nsecond"),
        ("Refunds", 4, "Refunds\n\nWithin 30 days <3> café.\n\none\ntwo"),
        ("Refunds › How", 7, "How\n\nWrite\n\nto us\n\na b\n\n3 < 4 and a"),
    ]


def test_lines_of_html_are_those_of_the_page() -> None:
    words = "word " * 150
    page = f"<h1>T</h1><li>a<li>b<li>c\n\n<p>one {words}</p><p></p>\n<p>\n two {words}</p>\r\n<p>three {words}<li>x"
    assert [(each.line, each.text.split()[0]) for each in read("html", page)] == [(1, "T"), (5, "two"), (6, "three")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n<!-- b", (2, "a comment does not end")),
        ("a\n\n<p title='x", (3, "a tag does not end")),
        ("<p", (1, "a tag does not end")),
        ("a\n<script>b", (2, "<script> does not end")),
        ("a<!DOCTYPE", (1, "a declaration does not end")),
        ("<style></style", (1, "<style> does not end")),
    ],
)
def test_broken_html_is_refused_with_its_line(text: str, problem: tuple[int, str]) -> None:
    assert faults("html", text) == [problem]


def test_long_texts_are_cut_where_sentences_end() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "It goes on and on. " * 20 for number in range(12)) + "长" * 5_000
    found = read("text", text)
    assert max(len(each.text) for each in found) <= 1_200
    assert all(each.text[-1] in ".。长" for each in found)
    assert [each.line for each in found] == sorted(each.line for each in found)
    kept = "".join("".join(each.text.split()) for each in found)
    assert kept == "".join(text.split())


def test_lines_are_those_of_the_document() -> None:
    text = "\n\n".join(f"para {number} " + "x " * 300 for number in range(6))
    for each in read("text", "\r\n\r\n" + text):
        assert ("\n\n" + text).split("\n")[each.line - 1].startswith(each.text[:6])


# -- tables ----------------------------------------------------------------------------------------------------------


def test_csv_rows() -> None:
    found = read("csv", 'name, price ,note\r\n"Tea, green",3,"two\nlines"\n\n茶,,\n')
    assert [each.payload for each in found] == [
        {"name": "Tea, green", "price": "3", "note": "two\nlines"},
        {"name": "茶"},
    ]
    assert [(each.title, each.line, each.text) for each in found] == [
        ("Tea, green", 2, "name: Tea, green\nprice: 3\nnote: two\nlines"),
        ("茶", 5, "name: 茶"),
    ]


def test_json_rows() -> None:
    found = read("jsonl", '{"name": "Tea", "price": 3.0, "tags": ["a"], "no": null}\n\n{"n": 1e3}\n')
    assert [each.payload for each in found] == [{"name": "Tea", "price": 3, "tags": ["a"], "no": None}, {"n": 1000}]
    assert [(each.line, each.text) for each in found] == [(1, 'name: Tea\nprice: 3\ntags: ["a"]'), (3, "n: 1000")]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a,b\n1,2\n1\n", 3, "1 cells under 2 columns"),
        ("a,b\n1,2,3\n", 2, "3 cells under 2 columns"),
        ("a,,b\n1,2,3\n", 1, "column 2 has no name"),
        ("a,a\n", 1, "two columns have the name a"),
        ('a,b\n1,"x\ny', 3, "no CSV: unexpected end of data"),
        ('a,b\n1,"x"y\n', 2, "no CSV: "),
        ("a\n" + "x" * 200_000, 2, "no CSV: field larger"),
        ("a,b\n" + "x" * 20_000 + "," + "y" * 20_000, 2, "the row is larger than 32 KiB"),
        (",".join(f"c{number}" for number in range(300)), 1, "more than 256 columns"),
        ("a\n" + "1\n" * 20_001, 20_002, "more than 20,000 parts"),
        ("a,b\n", 0, "there is nothing in it"),
    ],
)
def test_broken_csv(text: str, line: int, words: str) -> None:
    ((at, message),) = faults("csv", text)
    assert at == line and words in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ("[1]", "a JSON object has to stand here"),
        ("1", "a JSON object has to stand here"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "readers of JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "readers of JSON"),
        ('{"a": 1, "a": 2}', "a key stands twice"),
        ('{"a": "\\ud800"}', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
        ("[" * 100_000, ""),
        ('{"a": ' + "[" * 30 + "]" * 30 + "}", "nested deeper than 20"),
        ('{"a": "' + "x" * 40_000 + '"}', "the row is larger than 32 KiB"),
    ],
)
def test_broken_json_lines(text: str, words: str) -> None:
    ((line, message),) = faults("jsonl", '{"a": 1}\n' + text)
    assert line == 2 and words in message


def test_several_broken_lines_are_told_at_once() -> None:
    assert [line for line, _ in faults("jsonl", '{"a": 1}\n{\n{"a": 2}\nx\n')] == [2, 4]
    assert len(faults("jsonl", "x\n" * 500)) == 20


# -- triples ---------------------------------------------------------------------------------------------------------


def test_triples() -> None:
    text = 'subject,predicate,object,metadata\nAda,manages,Bob,"{""since"": 2020}"\n张三,属于,研发部,旧\nBob,age,7,\n'
    found = read("csv", text, GRAPH)
    assert [(each.text, each.metadata) for each in found] == [
        ("Ada manages Bob", {"since": 2020}),
        ("张三 属于 研发部", {"note": "旧"}),
        ("Bob age 7", None),
    ]
    assert found[2].payload == {"subject": "Bob", "predicate": "age", "object": "7"}
    (line,) = read("jsonl", '{"subject": "A", "predicate": "is", "object": true, "metadata": {"x": [1]}}', GRAPH)
    assert (line.text, line.metadata) == ("A is true", {"x": [1]})


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("csv", "subject,object\nA,B\n", "predicate is missing"),
        ("csv", "subject,predicate,object,weight\nA,b,C,1\n", "weight is none of"),
        ("csv", "subject,predicate,object\nA,,C\n", "predicate is missing"),
        ("csv", f"subject,predicate,object\n{'A' * 1001},b,C\n", "subject is longer"),
        ("csv", 'subject,predicate,object,metadata\nA,b,C,"{x"\n', "metadata: no JSON"),
        ("jsonl", '{"subject": {}, "predicate": "b", "object": "C"}', "subject is missing"),
        ("jsonl", '{"subject": "A", "predicate": "b", "object": "C", "metadata": [1]}', "metadata has to be an object"),
    ],
)
def test_broken_triples(form: str, text: str, message: str) -> None:
    assert message in faults(form, text, GRAPH)[0][1]


# -- all -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", KIND_OF)
@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (b"", 0, "there is nothing in it"),
        (b"\xef\xbb\xbf", 0, "there is nothing in it"),
        (b" \n\t\n", 0, "there is nothing in it"),
        (b"a\nb\xff", 2, "byte 3 is not UTF-8"),
        (b"a\n\xed\xa0\x80", 2, "not UTF-8"),
        ("a\nb".encode("utf-16"), 1, "not UTF-8"),
        (b"a\n\nb\x00c", 3, "U+0000"),
        (b"a\x1bb", 1, "U+001B"),
        (b"a" * (MOST_BYTES + 1), 0, "larger than 1 MiB"),
    ],
)
def test_what_no_document_is(form: str, data: bytes, line: int, words: str) -> None:
    ((at, message), *_) = faults(form, data)
    assert at == line and words in message


def test_a_kind_takes_its_forms() -> None:
    for kind in KINDS:
        for form in KIND_OF.keys() - {*FORMS[kind]}:
            assert f"not {form}" in faults(form, "x", kind)[0][1]


UNITS = [
    "<!--", "<!", "<?", "<a ", "<a b='", '<a b="', "<a b=c ", "&", "&#", "&#9", "&#x", "<", "</", "</a", "<script>",
    "</script", "<script></", "<title>", "<title></title>", "<h1>", "</h1>", "<p>", "<b>", "=", "='", '="', "<a =",
    "<a\f", "--!>", "<![CDATA[", "]]>", "<svg>", "<a/", "<!-->", "a\n", "\n", "\t", " ", "#", "# ", "# #", "#\t",
    "```\n", "~~~", "---\n", "===\n", "- ", "|", '"', '""', '",', ",", "{", "[", '{"a":', '"', "\\", "\\u", "x",
    "长", "。", ". ", "1", "e", "<h1><h1>", "<table><tr><td>", "&amp;", "&ampamp", "&#99999999999;",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_much_of_anything_takes_its_time_and_no_more(unit: str) -> None:
    """What takes quadratic time would need minutes here."""
    for kind in KINDS:
        for form in FORMS[kind]:
            for text in (unit * (200_000 // len(unit.encode())), "<a " + unit * 20_000):
                began = time.process_time()
                with contextlib.suppress(Unreadable):
                    reading.passages(kind, form, text.encode(), "n")
                assert time.process_time() - began < 3


@pytest.mark.parametrize("seed", range(300))
def test_anything_is_read_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices([*UNITS, "\r\n", "a,b", "subject,predicate,object\n", "\x85", "é", "\ufeff"], k=60))
    for kind in KINDS:
        for form in FORMS[kind]:
            try:
                found = reading.passages(kind, form, text.encode(), "n")
            except Unreadable as unreadable:
                assert all(0 <= each.line <= text.count("\n") + text.count("\r") + 2 for each in unreadable.problems)
            else:
                assert found and all(each.text for each in found)
