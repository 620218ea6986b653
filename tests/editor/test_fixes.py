"""Quick fixes: applied, the diagnostic is gone and no other has come."""

from __future__ import annotations

import json

import pytest
import yaml

from loopstep.compiler.compile import compile
from loopstep.diagnostics.pages import PAGES
from loopstep.editor.analysis import Document
from loopstep.editor.cursor import lines_of
from loopstep.editor.fixes import Fix, fixes
from tests.house.modules import ROOT

REFUND = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")

# (what stands in the example, what is written instead, the code, the title of the fix)
CASES = [
    ("input.amount <= 50", "input.amont <= 50", "reference.unknown_field", "Change to `input.amount`"),
    ("{ref: plan.input.reason,", "{ref: plan.inptu.reason,", "reference.unknown_field", "Change to `plan.input`"),
    ("input.amount <= 50", "input.amount <= 50 and true", "expr.syntax", "Change to `&&`"),
    ("nodeId: pay, port: in", "nodeId: pya, port: in", "graph.unknown_node", "Change to `pay`"),
    ("nodeId: look, port: failed", "nodeId: look, port: faild", "graph.unknown_port", "Change to `failed`"),
    ("type: set_variable", "type: set_variabel", "document.invalid_value", "Change to `set_variable`"),
    ("title: Refunds", "titel: Refunds", "document.unknown_field", "Change to `title`"),
    ("kind: PlanVersion", "kind: Plan", "document.invalid_value", "Write `kind: PlanVersion`"),
    ("apiVersion: loop.plan/v1", "apiVersion: 'loop.plan/v0'", "document.version", "Write `apiVersion: loop.plan/v1`"),
    ("reason: {type: string}", "reason: {type: strng}", "schema.invalid", "Change to `string`"),
    ("required: true, default: 0}", "required: true}", "state.needs_default", "Add `default: 0`"),
    ("{decision: {value: paid}}", "{decision: paid}", "value.exclusive", "Write `{value: paid}`"),
    ("{ref: input.amount}\n", "input.amount\n", "value.exclusive", "Write `{ref: input.amount}`"),
    ("{ref: plan.input.reason, default: no reason given}", "{ref: plan.input.reason}", "binding.optional_source",
     'Add `default: ""`'),
    ("        amount: {ref: input.amount}\n", "", "binding.required_target", "Bind `amount` from `input.amount`"),
    ("      bindings:\n        amount: {ref: input.amount}\n        reason: {ref: plan.input.reason, "
     "default: no reason given}\n", "", "binding.required_target", "Bind `reason` from `plan.input.customer`"),
    ("pass: {}\n", "title: x\n", "document.missing_field", "Add `pass`"),
    (", port: in}\n  nodes", "}\n  nodes", "document.missing_field", "Add `port`"),
    ("{state: paid, value: {ref: input.amount}}", "{state: paid, value: {ref: plan.name}}",
     "binding.type_mismatch", "Add `convert: {to: number}`"),
]  # fmt: skip


def applied(text: str, fix: Fix) -> str:
    """The text with a fix's edits made."""
    lines = lines_of(text)
    for edit in sorted(fix.edits, reverse=True):
        before = lines[edit.span.line - 1][: edit.span.column - 1]
        after = lines[edit.span.end_line - 1][edit.span.end_column - 1 :]
        lines[edit.span.line - 1 : edit.span.end_line] = (before + edit.text + after).split("\n")
    return "\n".join(lines)


def offered(text: str) -> list[tuple[str, Fix]]:
    """(code, fix) of every diagnostic."""
    analysis = Document(text).analysis
    return [(fault.code, fix) for fault in analysis.diagnostics for fix in fixes(analysis, fault)]


@pytest.mark.parametrize(("stands", "instead", "code", "title"), CASES, ids=lambda value: str(value)[:40])
def test_a_fix_mends(stands: str, instead: str, code: str, title: str) -> None:
    assert REFUND.count(stands) >= 1
    text = REFUND.replace(stands, instead, 1)
    found = compile(text).diagnostics
    chosen = [fix for faulty, fix in offered(text) if faulty == code and fix.title == title]
    assert len(chosen) == 1 and chosen[0].preferred, [fix.title for _, fix in offered(text)]
    mended = compile(applied(text, chosen[0])).diagnostics
    assert len(mended) < len(found)
    assert {each.code for each in mended} <= {each.code for each in found}


def test_the_same_in_json() -> None:
    """Names and values are written in quotes there."""
    document = yaml.safe_load(REFUND)
    del document["state"]["paid"]["default"]
    document["graph"]["edges"][3]["bindings"]["decision"] = "paid"
    text = json.dumps(document, indent=2)
    for _ in range(2):
        text = applied(text, next(fix for _, fix in offered(text) if fix.preferred))
        json.loads(text)
    assert compile(text).diagnostics == ()


def test_a_port_that_leads_nowhere_gets_an_edge() -> None:
    rest = "}\n      target: {nodeId: done"
    text = REFUND.replace("port: completed" + rest, "port: failed" + rest, 1)
    [fix] = [fix for code, fix in offered(text) if code == "graph.unwired_port"]
    assert fix.title == "Add an edge from `completed` to `refer`"
    assert "graph.unwired_port" not in {each.code for each in compile(applied(text, fix)).diagnostics}


@pytest.mark.parametrize("code", [code for code, page in PAGES.items() if page.wrong and page.form == "plan"])
def test_no_fix_of_a_page_makes_it_worse(code: str) -> None:
    """Every fix of every page's wrong example applies, and what it makes still loads."""
    wrong = PAGES[code].wrong
    before = compile(wrong).diagnostics
    for _, fix in offered(wrong):
        after = compile(applied(wrong, fix)).diagnostics
        assert "document.syntax" not in {each.code for each in after}, fix
        assert len(after) <= len(before) + 1, fix


def test_pages_with_an_obvious_way_out_have_a_fix() -> None:
    fixable = {code for code, page in PAGES.items() if page.form == "plan" and page.wrong and offered(page.wrong)}
    assert fixable >= {
        "document.unknown_field", "document.missing_field", "document.version", "reference.unknown_field",
        "value.exclusive", "state.needs_default", "binding.required_target", "binding.optional_source",
    }  # fmt: skip


def test_a_broken_document_has_none() -> None:
    assert offered(REFUND.replace("kind: PlanVersion", "kind: 'Plan")) == []
