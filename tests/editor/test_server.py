"""`loopstep lsp`, a real process driven by a scripted client: every feature, what it survives, how it ends."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopstep.cli import lsp as command
from loopstep.cli.main import run
from loopstep.compiler.compile import compile
from tests.editor.client import SERVER, URI, WAIT, Client, marked, place
from tests.house.modules import ROOT

REFUND = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    """One process for all tests: what one of them did to it, the others would see."""
    started = Client()
    started.initialize()
    yield started
    assert started.stop() == 0
    started.kill()


@pytest.fixture
def client(server: Client) -> Iterator[Client]:
    yield server
    server.close()


def put(old: str, new: str, text: str = REFUND) -> str:
    assert old in text
    return text.replace(old, new, 1)


# -- diagnostics -------------------------------------------------------------------------------------------------------


def test_diagnostics_are_the_compilers_own(client: Client) -> None:
    text = put("input.amount <= 50", "input.amont <= 50", put("nodeId: pay, port: in", "nodeId: pya, port: in"))
    client.open(text)
    found = client.diagnostics()
    said = compile(text).diagnostics
    assert [(one["code"], one["range"]["start"]["line"] + 1) for one in found] == [
        (each.code, each.line) for each in said
    ]
    [unknown] = [one for one in found if one["code"] == "reference.unknown_field"]
    assert unknown["message"] == "input has no field amont\nhelp: did you mean input.amount?"
    assert (unknown["severity"], unknown["source"]) == (1, "loopstep")
    line = text[: text.index("input.amont")].count("\n")
    assert unknown["range"] == {"start": {"line": line, "character": 12}, "end": {"line": line, "character": 23}}
    page = unknown["codeDescription"]["href"]
    assert page == (ROOT / "docs" / "diagnostics" / "reference.unknown_field.md").as_uri()
    client.change(REFUND)
    assert client.diagnostics() == []


def test_pages_of_codes_can_be_elsewhere() -> None:
    client = Client()
    client.initialize(options={"docs": "https://docs.example.com/{code}/"})
    client.open(put("kind: PlanVersion", "kind: Plan"))
    assert client.diagnostics()[0]["codeDescription"]["href"] == "https://docs.example.com/document.invalid_value/"
    client.kill()


def test_the_other_place_is_related_information(client: Client) -> None:
    text = put("    - id: pay\n", "    - id: look\n")
    client.open(text)
    [found] = [one for one in client.diagnostics() if one["code"] == "graph.duplicate_id"]
    [related] = found["relatedInformation"]
    assert related["location"]["uri"] == URI and related["message"] == "the first node `look`"
    assert related["location"]["range"]["start"]["line"] < found["range"]["start"]["line"]


@pytest.mark.parametrize(("encodings", "width"), [(None, 2), (["utf-16"], 2), (["utf-8"], 4), (["utf-32"], 1)])
def test_columns_count_what_the_editor_counts(encodings: list[str] | None, width: int) -> None:
    """A character outside of the basic plane is two units of UTF-16, four bytes, one code point."""
    client = Client()
    capabilities = client.initialize(encodings)
    assert capabilities["positionEncoding"] == (encodings or ["utf-16"])[0]
    before, wrong = "metadata: {name: refund, title: 𝒜𝒜", ", titel: x}"
    client.open(put("metadata: {name: refund, title: Refunds}", before + wrong))
    [found] = client.diagnostics()
    start = len(before) - 2 + 2 * width + 2
    assert (found["range"]["start"]["character"], found["range"]["end"]["character"]) == (start, start + 5)
    client.kill()


def test_only_plans_are_checked(client: Client) -> None:
    client.open("services: {web: {image: x}}\n", "file:///compose.yaml")
    assert client.diagnostics(uri="file:///compose.yaml") == []
    client.open("name: x\n", "file:///new.plan.yaml")
    assert client.diagnostics(uri="file:///new.plan.yaml") != []


def test_a_closed_document_has_no_diagnostics(client: Client) -> None:
    client.open("name: x\n")
    assert client.diagnostics()
    client.close()
    notice = client.notices.get(timeout=WAIT)["params"]
    assert (notice["uri"], notice["diagnostics"]) == (URI, [])


def test_canvas_documents_are_checked_too(client: Client) -> None:
    text = (ROOT / "examples" / "canvas" / "support_triage.json").read_text(encoding="utf-8")
    uri = "file:///support.canvas.json"
    client.open(text, uri, "json")
    assert [one for one in client.diagnostics(uri=uri) if one["severity"] == 1] == []
    client.change(text.replace('"type": "llm"', '"type": "lmm"', 1), uri)
    [found] = [one for one in client.diagnostics(uri=uri) if one["severity"] == 1]
    assert "llm" in found["message"]


# -- completion, hover -------------------------------------------------------------------------------------------------


def test_completion(client: Client) -> None:
    text, at = marked(put("when: input.amount <= 50", "when: input.am‸"))
    client.open(text)
    found = client.ask("completion", at)
    [item] = [one for one in found["items"] if one["label"] == "input.amount"]
    assert item["detail"] == "number"
    edit = item["textEdit"]
    assert edit["newText"] == "input.amount"
    assert (edit["range"]["start"]["character"], edit["range"]["end"]["character"]) == (12, 20)
    assert client.labels(at)[0] == "input.amount"


def test_completion_behind_wide_characters(client: Client) -> None:
    text, at = marked(put('"{{ plan.input.customer }} wants', '"𝒜 {{ plan.input.cu‸ }} wants'))
    client.open(text)
    [item] = [one for one in client.ask("completion", at)["items"] if one["label"] == "plan.input.customer"]
    start = item["textEdit"]["range"]["start"]
    assert start["character"] == at["character"] - len("plan.input.cu")


@pytest.mark.parametrize("snippets", [True, False])
def test_snippets_where_the_editor_knows_them(snippets: bool) -> None:
    client = Client()
    client.initialize(snippets=snippets)
    text, at = marked(put("    - {id: done,", "    - ‸\n    - {id: done,"))
    client.open(text)
    [item] = [one for one in client.ask("completion", at)["items"] if one["label"] == "wait"]
    assert item["insertTextFormat"] == (2 if snippets else 1)
    assert item["textEdit"]["newText"].startswith("id: ${1:id}\n" if snippets else "id: id\n")
    client.kill()


HOVERS = [
    ("when: input.am‸ount <= 50", "`input.amount`: **number**"),
    ("reason: {ref: plan.input.rea‸son,", "`plan.input.reason`: **string, may be absent**"),
    ("state: pa‸id, value", "`state.paid`: **number**"),
    ("amo‸unt: {type: number, required: true, minimum: 0}", "`amount`: **number**, required"),
    ("source: {nodeId: lo‸ok, port: completed}", "node `look`: **pass**"),
    ("type: set_vari‸able", "**set_variable**: Writes state"),
    ("desk: {type: sco‸pe", "**scope**: Where messages go"),
    ("ret‸ry: {max", "`retry`: Whether and when"),
    ("bin‸dings:\n        amount", "`bindings`: What the target gets"),
    ("set‸Variable: {", "`setVariable`: Writes state"),
    ("- id: sm‸all", "edge `small`: `look.completed` → `pay.in`"),
    ("outco‸me: succeeded", "`outcome`: How the Run ends."),
]


@pytest.mark.parametrize(("shown", "said"), HOVERS, ids=[said[:30] for _, said in HOVERS])
def test_hover(client: Client, shown: str, said: str) -> None:
    text, at = marked(put(shown.replace("‸", ""), shown))
    client.open(text)
    found = client.ask("hover", at)
    assert found["contents"]["kind"] == "markdown" and found["contents"]["value"].startswith(said)
    assert found["range"]["start"]["line"] == at["line"]
    assert found["range"]["start"]["character"] <= at["character"] <= found["range"]["end"]["character"]


def test_hover_over_functions_roots_and_what_no_document_declares(client: Client) -> None:
    expression = "length(plan.name) > 3 && plan.run.id != plan.input.customer"
    text = put("input.amount <= 50", expression)
    client.open(text)
    line = text.index(expression)
    for word, said in (
        ("length", "`length(text, array or object)`: **integer**"),
        ("plan.run.id", "`plan.run.id`: **string**"),
    ):
        found = client.ask("hover", place(text[: line + expression.index(word) + len(word) - 1]))
        assert found["contents"]["value"].startswith(said)


def test_hover_over_a_fault_explains_its_code(client: Client) -> None:
    text, at = marked(put("input.amount <= 50", "input.am‸ont <= 50"))
    client.open(text)
    said = client.ask("hover", at)["contents"]["value"]
    assert "**reference.unknown_field**: A reference goes through declared fields." in said


# -- names -------------------------------------------------------------------------------------------------------------

DEFINITIONS = [
    ("when: input.am‸ount <= 50", "      input: {", "amount: {type: number, required: true, maximum: 5000}"),
    ("{ref: plan.input.rea‸son,", "  ", "reason: {type: string}"),
    ("state: pa‸id, value", "  ", "paid: {type: number, required: true, default: 0}"),
    ("target: {nodeId: too‸_much, port: in}", "    - {id: ", "too_much, type: end"),
    ("entry: {nodeId: lo‸ok", "    - id: ", "look\n      type: pass"),
    ("bindings: {deci‸sion: {value: paid}}", "  ", "decision: {type: string, required: true"),  # an end without input
    ("        rea‸son: {ref", "        ", "reason: {type: string, required: true}"),  # the input of its target
]


@pytest.mark.parametrize(("used", "before", "declared"), DEFINITIONS, ids=[used[:24] for used, _, _ in DEFINITIONS])
def test_go_to_declaration(client: Client, used: str, before: str, declared: str) -> None:
    text, at = marked(put(used.replace("‸", ""), used))
    client.open(text)
    found = client.ask("definition", at)
    assert found["uri"] == URI
    assert found["range"]["start"] == place(text[: text.index(before + declared) + len(before)])


def test_the_fan_out_of_a_join_and_its_items(client: Client) -> None:
    text = (ROOT / "docs" / "nodes" / "examples" / "join.yaml").read_text(encoding="utf-8")
    client.open(text)
    used = re.search(r"fanOut: (\w+)", text)
    assert used is not None
    name, spot = used[1], used.start(1)
    found = client.ask("definition", place(text[: spot + 1]))
    assert text.split("\n")[found["range"]["start"]["line"]][found["range"]["start"]["character"] :].startswith(name)
    assert found["range"]["start"] != place(text[:spot])


def test_references(client: Client) -> None:
    text, at = marked(put("paid: {type: number", "pa‸id: {type: number"))
    client.open(text)
    without = client.ask("references", at, context={"includeDeclaration": False})
    assert [one["range"]["start"] for one in without] == [place(text[: text.index("state: paid,") + 7])]
    whole = client.ask("references", at, context={"includeDeclaration": True})
    assert len(whole) == 2
    assert len(client.ask("documentHighlight", at)) == 2


def test_rename(client: Client) -> None:
    text, at = marked(put("source: {nodeId: look, port: failed}", "source: {nodeId: lo‸ok, port: failed}"))
    client.open(text)
    assert (
        client.ask("prepareRename", at)["end"]["character"] - client.ask("prepareRename", at)["start"]["character"] == 4
    )
    edits = client.ask("rename", at, newName="first")["changes"][URI]
    changed = edited(text, edits)
    assert changed == text.replace("look", "first") and compile(changed).diagnostics == ()
    for name, why in (("two words", "is no name"), ("pay", "already")):
        params = {"textDocument": {"uri": URI}, "position": at, "newName": name}
        error = client.answer(client.start_request("textDocument/rename", params))["error"]
        assert why in error["message"]


def test_renaming_a_field_renames_every_use(client: Client) -> None:
    text, at = marked(put("  customer: {type", "  cust‸omer: {type"))
    client.open(text)
    changed = edited(text, client.ask("rename", at, newName="客户")["changes"][URI])
    assert "customer" not in changed.replace("plan.schema", "") and compile(changed).diagnostics == ()


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    lines = text.split("\n")
    for edit in sorted(
        edits, key=lambda one: (one["range"]["start"]["line"], one["range"]["start"]["character"]), reverse=True
    ):
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"]
        row = lines[start["line"]]
        lines[start["line"]] = row[: start["character"]] + edit["newText"] + row[end["character"] :]
    return "\n".join(lines)


def test_outline(client: Client) -> None:
    client.open(REFUND)
    found = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    assert [one["name"] for one in found] == ["input", "output", "state", "nodes", "edges"]
    nodes = {one["name"]: one["detail"] for one in found[3]["children"]}
    assert nodes == {"look": "pass", "pay": "set_variable", "refer": "send_message", "done": "end", "too_much": "end"}
    assert found[4]["children"][0]["detail"] == "look.completed → pay.in"
    for one in (*found, *found[3]["children"]):
        assert order(one["range"]["start"]) <= order(one["selectionRange"]["start"])
        assert order(one["selectionRange"]["end"]) <= order(one["range"]["end"])


def order(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def test_quick_fixes(client: Client) -> None:
    text = put("required: true, default: 0}", "required: true}")
    client.open(text)
    [fault] = client.diagnostics()
    params = {"textDocument": {"uri": URI}, "range": fault["range"], "context": {"diagnostics": [fault]}}
    [action] = client.request("textDocument/codeAction", params)
    assert (action["title"], action["kind"], action["isPreferred"]) == ("Add `default: 0`", "quickfix", True)
    assert action["diagnostics"] == [fault]
    assert edited(text, action["edit"]["changes"][URI]) == REFUND
    elsewhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    assert client.request("textDocument/codeAction", {**params, "range": elsewhere}) == []


# -- what it survives --------------------------------------------------------------------------------------------------

BIG = "a: b # " + "x" * 100 + "\n"
HOSTILE = {
    "a mebibyte": BIG * (1024 * 1024 // len(BIG)),
    "more than a mebibyte": "apiVersion: loop.plan/v1\n" + BIG * 20_000,
    "deep": "apiVersion: loop.plan/v1\na: " + "{a: " * 64 + "}" * 64,
    "too deep": "apiVersion: loop.plan/v1\na: " + "[" * 5000,
    "NUL": "apiVersion: loop.plan/v1\na: \0\n",
    "half a surrogate pair": "apiVersion: loop.plan/v1\ntitel: \ud800\n",
    "one line": '{"apiVersion": "loop.plan/v1", "x": [' + '{"a": "b"},' * 60_000 + "1]}",
    "an open quote": 'apiVersion: "loop.plan/v1\n' + BIG * 500,
    "a mark": "\ufeff" + REFUND,
    "old line breaks": REFUND.replace("title: Refunds", 'title: "a\u2028b\u0085c\x0cd"'),
    "empty": "",
    "a list": "- loop.plan/",
    "no map": "graph: [loop.plan/]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents(client: Client, name: str) -> None:
    """Every question is answered, and the next document is served as if nothing had been."""
    text = HOSTILE[name]
    client.open(text)
    client.diagnostics()
    last = {"line": text.count("\n"), "character": 3}
    for at in ({"line": 1, "character": 3}, last, {"line": 10**6, "character": 10**6}):
        for what in ("completion", "hover", "definition", "documentHighlight"):
            assert "error" not in client.answer(
                client.start_request(f"textDocument/{what}", {"textDocument": {"uri": URI}, "position": at})
            )
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    everything = {"start": {"line": 0, "character": 0}, "end": last}
    client.request(
        "textDocument/codeAction", {"textDocument": {"uri": URI}, "range": everything, "context": {"diagnostics": []}}
    )
    client.change(REFUND)
    assert client.diagnostics() == []


def test_a_byte_order_mark_shifts_the_first_line_only(client: Client) -> None:
    client.open("\ufeffapiVersion: loop.plan/v2\nkind: Plan\n")
    found = {one["code"]: one["range"]["start"]["character"] for one in client.diagnostics()}
    assert found["document.version"] == len("\ufeffapiVersion: ") and found["document.invalid_value"] == len("kind: ")


def test_rapid_changes_end_with_the_last_text(client: Client) -> None:
    client.open(REFUND)
    for number in range(60):
        client.change(put("title: Refunds", f"titel{number}: Refunds"))
    last = client.change(put("kind: PlanVersion", "kind: Plan"))
    assert [one["code"] for one in client.diagnostics(last)] == ["document.invalid_value"]
    assert client.ask("hover", place(REFUND[: REFUND.index("type: pass") + 7])) is not None


def test_an_answer_after_each_change_is_of_that_text(client: Client) -> None:
    client.open(REFUND)
    for number in range(10):
        text, at = marked(
            put(
                "  reason: {type: string}",
                f"  reason{number}: {{type: string}}",
                put("{ref: plan.input.reason,", "{ref: ‸,"),
            )
        )
        client.change(text)
        assert f"plan.input.reason{number}" in client.labels(at)


def test_requests_can_be_cancelled(client: Client) -> None:
    client.open("apiVersion: loop.plan/v1\n" + "a: {b: [c, {d: e}]}\n" * 40_000)
    busy = client.start_request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    waiting = client.start_request(
        "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 2}}
    )
    client.notify("$/cancelRequest", {"id": waiting})
    answer = client.answer(waiting)
    assert answer.get("error", {}).get("code") == -32800 or "result" in answer
    assert "error" not in client.answer(busy)
    client.change(REFUND)
    assert client.diagnostics() == []


def test_a_message_that_is_none_is_passed_over(client: Client) -> None:
    client.notify("textDocument/noSuchThing", {"x": 1})
    error = client.answer(client.start_request("textDocument/noSuchThing", {}))["error"]
    assert error["code"] == -32601
    client.start_request("textDocument/hover", {"textDocument": {}})  # its parameters are none
    client.open(REFUND)
    assert client.diagnostics() == []


# -- the command -------------------------------------------------------------------------------------------------------


def test_it_ends_with_its_editor() -> None:
    client = Client()
    client.initialize()
    assert client.process is not None and client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(WAIT) == 0


def test_over_a_loopback_socket() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*SERVER, "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        connection = connected(port)
        stream = connection.makefile("rwb")
        client = Client(streams=(stream, stream))  # type: ignore[arg-type]
        client.initialize()
        client.open(REFUND)
        assert client.diagnostics() == []
        connection.close()
    finally:
        process.kill()
        process.wait(WAIT)


def connected(port: int) -> socket.socket:
    for _ in range(WAIT * 10):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=WAIT)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


def test_without_pygls_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: None)
    assert run(["lsp"]) == 2
    said = capsys.readouterr().err
    assert "pip install 'loopstep[lsp]'" in said and "Traceback" not in said


def test_everything_but_the_server_works_without_pygls(tmp_path: Path) -> None:
    """Neither the editor's answers nor any other command loads it."""
    code = (
        "import sys; sys.modules['pygls'] = sys.modules['lsprotocol'] = None\n"
        "from loopstep.cli.main import run\n"
        f"sys.exit(run(['symbols', {str(ROOT / 'examples' / 'refund.yaml')!r}, '--at', '40:13', '--json']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT)
    assert done.returncode == 0 and '"input.amount"' in done.stdout, done.stderr


def test_symbols_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    example = str(ROOT / "examples" / "refund.yaml")
    line = REFUND[: REFUND.index("when: ")].count("\n") + 1
    assert run(["symbols", example, "--at", f"{line}:13"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^plan\.input\.reason +string, may be absent$", said, re.M)
    assert run(["symbols", example, "--at", "1:1"]) == 0
    assert capsys.readouterr().out == "no references may stand here\n"
    assert run(["symbols", example, "--at", "x"]) == 2
    (tmp_path / "none.yaml").write_text("- 1\n")
    assert run(["symbols", str(tmp_path / "none.yaml"), "--at", "1:1"]) == 1
