"""Registering: what a document may say, where its faults stand, and who wins when several do it at once."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopstep.diagnostics.collector import Reporter
from loopstep.registry.records import KINDS
from loopstep.services.compiler_face import CompilerFace, Reply
from loopstep.services.entry_document import read_entry
from loopstep.services.put_documents import Draft, put_documents, remove_document
from loopstep.services.refusals import Conflicting, Unfit, Unknown
from loopstep.services.register import Registrar, register

SKILL_MD = """\
---
name: Tone
description: Says how a letter sounds.
license: MIT
inputs:
  - {name: letter, type: string, required: true, description: The letter.}
  - mood
outputs: [verdict]
---

# Tone

Read the *letter* and say how it sounds.
---
Not front matter.
"""

MARK = re.compile(r"#! ([a-z_.]+)")


def registrar(aws: Any) -> Registrar:
    return Registrar(aws.registry(), aws.now, aws.new_id, lambda attempt: None, aws.librarian().documents)


def put(aws: Any, kind: str, id: str, document: str | bytes, markdown: bool = False) -> Any:
    data = document.encode() if isinstance(document, str) else document
    return register(registrar(aws), kind, id, data, markdown)


def faults(aws: Any, kind: str, document: str | bytes, markdown: bool = False) -> list[dict[str, Any]]:
    with pytest.raises(Unfit) as refused:
        put(aws, kind, "x", document, markdown)
    assert refused.value.code == f"{kind}.invalid"
    assert aws.registry().head(kind, "x") is None
    found: list[dict[str, Any]] = refused.value.facts["diagnostics"]
    return found


def test_a_skill_md(aws: Any) -> None:
    made = put(aws, "skill", "tone", SKILL_MD, markdown=True)
    assert made.created and made.diagnostics == []
    assert aws.registry().latest("skill", "tone").content == {
        "name": "Tone",
        "description": "Says how a letter sounds.",
        "instructions": "# Tone\n\nRead the *letter* and say how it sounds.\n---\nNot front matter.",
        "inputs": [
            {"name": "letter", "type": "string", "required": True, "description": "The letter."},
            {"name": "mood", "type": "string", "required": False, "description": ""},
        ],
        "outputs": [{"name": "verdict", "type": "string", "required": False, "description": ""}],
        "skills": [],
        "sources": [],
        "tools": None,
        "model": None,
    }


def test_the_same_as_data_is_the_same_content(aws: Any) -> None:
    content = put(aws, "skill", "tone", SKILL_MD).entry.content
    for document in (json.dumps(content), json.dumps(content, ensure_ascii=False, indent=2)):
        again = put(aws, "skill", "tone", document)
        assert (again.created, again.head.latest) == (False, 1)


@pytest.mark.parametrize("change", ["\r\n", "\r", "bom"])
def test_however_it_is_saved(aws: Any, change: str) -> None:
    document = "\ufeff" + SKILL_MD if change == "bom" else SKILL_MD.replace("\n", change)
    made = put(aws, "skill", "tone", document)
    assert made.entry.content == put(aws, "skill", "tone", SKILL_MD).entry.content


def test_what_may_be_left_out_has_a_default(aws: Any) -> None:
    made = put(aws, "agent", "a", '{"instructions": "Do it."}').entry.content
    assert (made["name"], made["description"], made["tools"], made["skills"]) == ("a", "", None, [])
    assert put(aws, "source", "s", "kind: GRAPH").entry.content == {
        "name": "s",
        "description": "",
        "kind": "GRAPH",
        "managed": None,
        "enabled": True,
    }
    assert put(aws, "scope", "ops & co", "{}").entry.content == {"description": "", "maxPerRun": None}


def test_a_managed_source(aws: Any) -> None:
    document = "{kind: DOCUMENT, managed: {knowledgeBaseId: ABCDEFGHIJ}, enabled: false}"
    made = put(aws, "source", "s", document)
    assert made.entry.content["managed"] == {"knowledgeBaseId": "ABCDEFGHIJ"}
    assert (made.head.label, made.head.enabled) == ("DOCUMENT", False)


BODIES = {
    "skill": [
        "instructions: hi\nname: [a]  #! document.invalid_value",
        "instructions: hi\nnmae: a  #! document.unknown_field",
        "instructions: ''  #! document.invalid_value",
        "instructions: hi\ninputs: letter  #! document.invalid_value",
        "instructions: hi\ninputs:\n  - {name: a b}  #! document.invalid_value",
        "instructions: hi\ninputs:\n  - {name: a, type: text}  #! document.invalid_value",
        "instructions: hi\ninputs:\n  - {type: string}  #! document.missing_field",
        "instructions: hi\ninputs:\n  - {name: a, required: 1}  #! document.invalid_value",
        "instructions: hi\ninputs:\n  - a\n  - a  #! document.invalid_value",
        "instructions: hi\ninputs:\n  - 3  #! document.invalid_value",
        "instructions: hi\nskills: [nope]  #! registry.unknown",
        "instructions: hi\nsources: [nope]  #! registry.unknown",
        "instructions: hi\nskills: [no pe]  #! document.invalid_value",
        "instructions: hi\ntools: [read]  #! document.invalid_value",
        "instructions: hi\nmodel: ''  #! document.invalid_value",
        "instructions: hi\ninstructions: ho  #! document.duplicate_key",
        "- a  #! document.invalid_value",
        "name: a  #! document.missing_field",
        "instructions: &a hi  #! document.syntax",
    ],
    "source": [
        "name: a  #! document.missing_field",
        "kind: HYBRID  #! document.invalid_value",
        "kind: GRAPH\nmanaged: ABC  #! document.invalid_value",
        "kind: GRAPH\nmanaged: {}  #! document.missing_field",
        "kind: GRAPH\nmanaged: {knowledgeBaseId: 'a/b'}  #! document.invalid_value",
        "kind: GRAPH\nenabled: 'no'  #! document.invalid_value",
        "kind: GRAPH\nurl: https://example.com  #! document.unknown_field",
    ],
    "scope": [
        "maxPerRun: 0  #! document.invalid_value",
        "maxPerRun: 1.5  #! document.invalid_value",
        "webhook: https://example.com  #! document.unknown_field",
        "description: 3  #! document.invalid_value",
    ],
}


@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, bodies in BODIES.items() for body in bodies])
def test_a_fault_is_said_at_its_line(aws: Any, kind: str, body: str) -> None:
    expected = [(code, number) for number, line in enumerate(body.splitlines(), 1) for code in MARK.findall(line)]
    assert [(each["code"], each["line"]) for each in faults(aws, kind, body)] == expected


def test_all_faults_are_said_at_once_in_order(aws: Any) -> None:
    found = faults(aws, "agent", "name: 3\nskills: [b, a]\ntools: [x]\nwhat: 1\n")
    assert [each["code"] for each in found] == [
        "document.missing_field",
        "document.invalid_value",
        "registry.unknown",
        "registry.unknown",
        "document.invalid_value",
        "document.unknown_field",
    ]


def test_faults_in_front_matter_have_the_lines_of_the_file(aws: Any) -> None:
    document = SKILL_MD.replace("outputs: [verdict]", "outputs: [verdict]\nskills: [nope]\ninptus: []")
    found = faults(aws, "skill", document, markdown=True)
    assert [(each["code"], each["line"]) for each in found] == [
        ("registry.unknown", 9),
        ("document.unknown_field", 10),
    ]
    assert found[1]["hint"] == "did you mean `inputs`?"


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("# Tone\nSay how it sounds.", "document.syntax"),
        ("---\nname: a\n\nSay how it sounds.", "document.syntax"),
        ("---\nname: a\n---\n\n   \n", "document.missing_field"),
        ("---\n---\nDo it.", "document.syntax"),
        ("---\nname: a\ninstructions: b\n---\nDo it.", "document.unknown_field"),
        ("", "document.syntax"),
    ],
)
def test_what_is_no_skill_md(aws: Any, document: str, code: str) -> None:
    assert [each["code"] for each in faults(aws, "skill", document, markdown=True)] == [code]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"---\nname: \xff\n---\n", b"\x00", b"{", b"[" * 70])
def test_no_bytes_are_an_exception(aws: Any, data: bytes) -> None:
    for kind in ("skill", "agent", "source", "scope"):
        for markdown in (False, True):
            assert faults(aws, kind, data, markdown)


@pytest.mark.parametrize(
    ("kind", "document", "line"),
    [
        ("skill", b"---\nname: a\n---\nDo\x00 it.\n", 4),
        ("agent", b"---\nname: \xff\n---\nDo it.\n", 2),
        ("agent", "---\nname: a\n---\n\nDo \ufffd.\n".encode(), 5),
        ("agent", b"instructions: \xff\n", 1),
        ("source", "kind: GRAPH\nname: \ufffd\n".encode(), 2),
        ("scope", b"description: a\x07\n", 1),
    ],
)
def test_what_is_no_text_is_refused_at_its_line(aws: Any, kind: str, document: bytes, line: int) -> None:
    assert [(each["code"], each["line"]) for each in faults(aws, kind, document)] == [("document.syntax", line)]


@pytest.mark.parametrize("field", ["name", "description", "instructions", "model"])
def test_no_field_has_a_control_character_however_escaped(aws: Any, field: str) -> None:
    (fault,) = faults(aws, "agent", json.dumps({"instructions": "Do.", field: "a\0b"}))
    assert (fault["code"], fault["path"]) == ("document.invalid_value", f"/{field}")


OTHER = {"kind": "GRAPH"}, {"kind": "DOCUMENT", "managed": {"knowledgeBaseId": "ABCDEFGHIJ"}}


def put_text(aws: Any, source: str) -> None:
    put_documents(aws.librarian(), source, [Draft("a.md", "a", "markdown", b"# A")])


@pytest.mark.parametrize("other", OTHER)
@pytest.mark.parametrize("removed", [False, True])
def test_a_source_with_documents_keeps_its_kind(aws: Any, other: dict[str, Any], removed: bool) -> None:
    put(aws, "source", "s", "kind: DOCUMENT")
    put_text(aws, "s")
    if removed:
        aws.registry().remove(aws.registry().head("source", "s"), "o", aws.now())
    with pytest.raises(Conflicting, match=r"source\.has_documents"):
        put(aws, "source", "s", json.dumps(other))
    assert put(aws, "source", "s", "{kind: DOCUMENT, description: Another.}").head.latest == 2
    remove_document(aws.librarian(), "s", "a.md")
    assert put(aws, "source", "s", json.dumps(other)).head.latest == 3


@pytest.mark.parametrize("other", OTHER)
def test_a_document_that_is_put_meanwhile_keeps_the_kind(
    aws: Any, other: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(aws, "source", "s", "kind: DOCUMENT")
    one = registrar(aws)
    add = one.registry.add
    monkeypatch.setattr(one.registry, "add", lambda *given: (put_text(aws, "s"), add(*given))[1])
    with pytest.raises(Conflicting, match=r"source\.has_documents"):
        register(one, "source", "s", json.dumps(other).encode())


def test_a_kind_that_changes_meanwhile_refuses_the_document(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put(aws, "source", "s", "kind: DOCUMENT")
    librarian = aws.librarian()
    commit = librarian.documents.commit
    monkeypatch.setattr(
        librarian.documents, "commit", lambda *given: (put(aws, "source", "s", "kind: GRAPH"), commit(*given))[1]
    )
    with pytest.raises(Unfit, match=r"document\.unreadable"):
        put_documents(librarian, "s", [Draft("a.md", "a", "markdown", b"# A")])
    assert aws.librarian().documents.head("s").documents == 0


def test_an_agent_names_what_is_there(aws: Any) -> None:
    document = json.dumps({"instructions": "Do.", "skills": ["tone"], "sources": ["hand-book"]})
    assert [each["hint"] for each in faults(aws, "agent", document)] == [
        "`loopstep skills put` registers one",
        "`loopstep sources put` registers one",
    ]
    put(aws, "skill", "tone", SKILL_MD)
    put(aws, "source", "hand_book", "kind: DOCUMENT")
    assert [each["hint"] for each in faults(aws, "agent", document)] == ["did you mean `hand_book`?"]
    put(aws, "source", "hand-book", "kind: DOCUMENT")
    assert put(aws, "agent", "x", document).created
    aws.registry().remove(aws.registry().head("skill", "tone"), "o", aws.now())
    with pytest.raises(Unfit):
        put(aws, "agent", "y", document)


def test_another_content_is_the_next_version(aws: Any) -> None:
    for number in (1, 2):
        made = put(aws, "agent", "a", json.dumps({"instructions": f"Do {number}."}))
        assert (made.created, made.head.latest) == (True, number)
    back = put(aws, "agent", "a", '{"instructions": "Do 1."}')
    assert (back.created, back.head.latest) == (True, 3)
    assert back.head.created_at < back.head.updated_at


def test_put_again_after_a_removal_is_the_next_version(aws: Any) -> None:
    put(aws, "agent", "a", '{"instructions": "Do."}')
    aws.registry().remove(aws.registry().head("agent", "a"), "o", aws.now())
    again = put(aws, "agent", "a", '{"instructions": "Do."}')
    assert (again.created, again.head.latest, again.head.removed) == (True, 2, False)


def test_many_at_once_give_consecutive_versions(aws: Any) -> None:
    made: list[int] = []

    def act(number: int) -> None:
        made.append(put(aws, "agent", "a", json.dumps({"instructions": f"Do {number}."})).head.latest)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(1, 9))


def test_who_never_gets_through_is_told(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = aws.registry()
    monkeypatch.setattr(registry, "add", lambda head, text, also: False)
    with pytest.raises(Conflicting, match=r"registry\.conflict"):
        register(registrar(aws)._replace(registry=registry), "agent", "a", b'{"instructions": "Do."}')
    assert aws.registry().head("agent", "a") is None


@pytest.mark.parametrize("after", [False, True])
def test_wherever_it_dies_a_repetition_finishes(aws: Any, after: bool) -> None:
    from loopstep.registry.items import INLINE_BYTES

    document = json.dumps({"instructions": "x" * INLINE_BYTES}).encode()
    counted = aws.crash()
    register(registrar(counted), "agent", "whole", document)
    calls = len(counted.crashing.calls)
    assert calls >= 3
    for at in range(1, calls + 1):
        id = f"a{at}"
        died = aws.crash(at, after)
        try:
            register(registrar(died), "agent", id, document)
        except BaseException as crash:
            assert type(crash).__name__ == "Crash"
        made = register(registrar(aws), "agent", id, document)
        assert made.head.latest == 1
        assert aws.registry().get("agent", id, 1).content["instructions"] == "x" * INLINE_BYTES


def ask(aws: Any, **event: Any) -> Reply:
    return CompilerFace(aws.publisher()).answer({"action": "register", **event})


def test_the_compiler_function_answers(aws: Any) -> None:
    made = ask(aws, kind="agent", id="a-1", document='{"instructions": "Do."}')
    assert (made.status, made.body["version"], made.body["unchanged"], made.body["diagnostics"]) == (201, 1, False, [])
    assert ask(aws, kind="agent", id="a-1", document="instructions: Do.").status == 200
    wrong = ask(aws, kind="agent", id="a-1", document="{}")
    assert (wrong.status, wrong.body["code"]) == (422, "agent.invalid")
    assert wrong.body["diagnostics"][0]["code"] == "document.missing_field"


@pytest.mark.parametrize(
    ("kind", "id"),
    [
        ("plan", "a"),
        ("agent", ""),
        ("agent", "a b"),
        ("agent", "a" * 64),
        ("agent", 3),
        (None, "a"),
        ("scope", "s" * 257),
    ],
)
def test_what_cannot_be_registered_at_all(aws: Any, kind: Any, id: Any) -> None:
    assert ask(aws, kind=kind, id=id, document="{}").status == 400


def test_reading_and_removing(aws: Any) -> None:
    from loopstep.services.read_registry import get_entry, get_entry_version, list_entry_versions, remove_entry

    put(aws, "agent", "a", '{"instructions": "Do."}')
    registry = aws.registry()
    assert get_entry(registry, "agent", "a")["instructions"] == "Do."
    remove_entry(registry, "agent", "a", aws.new_id(), aws.now, lambda attempt: None)
    for act in (
        lambda: get_entry(registry, "agent", "a"),
        lambda: remove_entry(registry, "agent", "a", aws.new_id(), aws.now, lambda attempt: None),
        lambda: get_entry_version(registry, "agent", "a", 2),
        lambda: list_entry_versions(registry, "agent", "b", 10, None),
    ):
        with pytest.raises(Unknown):
            act()
    assert get_entry_version(registry, "agent", "a", 1)["instructions"] == "Do."
    assert [each["version"] for each in list_entry_versions(registry, "agent", "a", 10, None)["items"]] == [1]


def test_the_api_describes_what_is_taken() -> None:
    from typing import get_args

    from loopstep.api.registry_models import ENTRY_ID, FieldType, SourceKind
    from loopstep.registry.records import SOURCE_KINDS
    from loopstep.services.entry_content import TYPES, is_entry_id

    assert (get_args(FieldType), get_args(SourceKind)) == (TYPES, SOURCE_KINDS)
    for text in ("a", "_", "a-b", "A9", "9", "-a", "", "a b", "a" * 63, "a" * 64, "é", "a\n"):
        assert bool(re.fullmatch(ENTRY_ID.strip("^$"), text)) == is_entry_id(text)


def test_the_docs_example_can_be_registered(aws: Any) -> None:
    text = (Path(__file__).parents[2] / "docs" / "registry.md").read_text(encoding="utf-8")
    block = re.search(r"```markdown\n(.*?)```", text, re.S)
    assert block is not None
    put(aws, "skill", "tone", SKILL_MD)
    put(aws, "source", "handbook", "kind: DOCUMENT")
    made = put(aws, "agent", "triage", block[1], markdown=True)
    assert made.diagnostics == [] and made.entry.content["instructions"].startswith("You work in")


PIECES = [
    *("---", "\n", "\r\n", "name", ": ", "inputs", "- ", "{", "}", "[", "]", "a", "instructions", '"', "'", "kind"),
    *("GRAPH", "skills", "null", "1", "true", "\t", "\x00", "好", "&", "*", "tools", "managed", "#", "  ", "version"),
]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.binary(), st.sampled_from(KINDS), st.booleans())
def test_no_document_is_an_exception(document: str | bytes, kind: str, markdown: bool) -> None:
    report = Reporter()
    data = document.encode() if isinstance(document, str) else document
    found = read_entry(kind, "x", data, markdown, report)
    assert (found.content is None) == report.has_errors
    if found.content is not None:
        text = json.dumps(found.content)
        again = read_entry(kind, "x", text.encode(), False, Reporter()).content
        assert again == found.content, "what is shown can be put again"
