"""Completion by scope, at every kind of place, in whole and in broken documents."""

from __future__ import annotations

import re

import pytest

from loopstep.compiler.compile import compile
from loopstep.compiler.look import look, scope_at, symbols
from loopstep.editor.analysis import Document
from loopstep.editor.complete import complete
from loopstep.editor.cursor import lines_of
from loopstep.editor.items import REFERENCE, Item
from loopstep.editor.symbols import symbols_at
from loopstep.nodes.catalog import CATALOG
from loopstep.source.load import load
from tests.house.modules import ROOT

REFUND = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")

REGIONS = """\
apiVersion: loop.plan/v1
kind: PlanVersion
input: {files: {type: array, required: true, items: {type: object, properties: {name: {type: string}}}}}
state: {n: {type: integer, required: true, default: 0}}
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - id: each
      type: fan_out
      fanOut: {items: {ref: plan.input.files}}
    - {id: read, type: pass, input: {file: {type: object}}, pass: {}}
    - id: all
      type: join
      input: {size: {type: integer, required: true}}
      output: {sizes: {type: array, items: {type: integer}}}
      join: {fanOut: each, merge: {sizes: {ref: items.size}}}
    - {id: again, type: loop, loop: {maxIterations: 3, while: "loop.index < 2"}}
    - {id: body, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - id: split
      type: fan_out
      fanOut: {branches: [left, right]}
  edges:
    - {id: begin, source: {nodeId: each, port: item}, target: {nodeId: read, port: in}, bindings: {file: {ref: item}}}
    - id: arrive
      source: {nodeId: read, port: completed}
      target: {nodeId: all, port: in}
      bindings: {size: {value: 1}}
    - {id: merged, source: {nodeId: all, port: completed}, target: {nodeId: again, port: in}, bindings: {}}
    - {id: turn, source: {nodeId: again, port: body}, target: {nodeId: body, port: in}, when: loop.index < 5}
    - {id: back, source: {nodeId: body, port: completed}, target: {nodeId: again, port: next}}
    - {id: out, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
    - {id: late, source: {nodeId: again, port: exhausted}, target: {nodeId: done, port: in}}
    - {id: broke, source: {nodeId: again, port: failed}, target: {nodeId: done, port: in}, when: "true"}
"""


def items(text: str) -> list[Item]:
    """What is proposed at the mark, best first."""
    before, mark, after = text.partition("‸")
    assert mark
    lines = lines_of(before)
    found = complete(Document(before + after), len(lines), len(lines[-1]) + 1)
    return sorted(found, key=lambda item: item.order)


def labels(text: str, kind: str | None = None) -> list[str]:
    return [item.label for item in items(text) if kind is None or item.kind == kind]


def put(old: str, new: str, plan: str = REFUND) -> str:
    assert old in plan
    return plan.replace(old, new, 1)


# -- references by scope -----------------------------------------------------------------------------------------------

EVERYWHERE = {"plan.name", "plan.version", "plan.run.id", "plan.run.startedAt"}


@pytest.mark.parametrize(
    ("old", "new", "some", "none"),
    [
        # a node's config: its own input; never output, error, item
        ("{ref: input.amount}}]}", "{ref: ‸}}]}", {"input.amount", "state.paid", "plan.input.desk"}, {"output"}),
        ('"{{ plan.input.customer }}', '"{{ ‸', {"input.reason", "input.amount", "state.paid"}, {"output", "error"}),
        # an edge of a node without output: its input
        ("when: input.amount <= 50", "when: ‸", {"input.amount", "state.paid"}, {"output", "error", "item", "loop"}),
        ("when: input.amount <= 50", "when: input.amount > 3 && st‸", {"state.paid"}, set()),
        # the entry: no node has run
        ("port: in}\n  nodes", "port: in, input: {amount: {ref: ‸}}}\n  nodes", {"plan.input.amount"}, {"input."}),
    ],
)  # fmt: skip
def test_references_are_those_of_the_place(old: str, new: str, some: set[str], none: set[str]) -> None:
    found = set(labels(put(old, new), REFERENCE))
    assert some | EVERYWHERE <= found
    assert [label for label in found for root in none if label == root or label.startswith((root, root + "."))] == []


@pytest.mark.parametrize(
    ("old", "new", "some", "none"),
    [
        ("{ref: item}", "{ref: ‸}", {"item", "item.name"}, {"input", "items", "output"}),
        ("{ref: items.size}", "{ref: ‸}", {"items", "items.size"}, {"item", "input", "winner"}),
        ("while: \"loop.index < 2\"", 'while: "‸"', {"loop.index", "loop.iteration", "loop.maxIterations"}, {"item"}),
        ("when: loop.index < 5", "when: ‸", {"loop.index"}, {"error"}),
        ('when: "true"', 'when: "‸"', {"error.code", "error.message"}, {"output", "loop"}),
        ("port: completed}, target: {nodeId: again, port: in}, bindings: {}",
         "port: completed}, target: {nodeId: again, port: in}, bindings: {x: {ref: ‸}}", {"output.sizes"}, {"input"}),
    ],
)  # fmt: skip
def test_references_in_regions(old: str, new: str, some: set[str], none: set[str]) -> None:
    found = set(labels(put(old, new, REGIONS), REFERENCE))
    assert some <= found
    assert [label for label in found for root in none if label == root or label.startswith(root + ".")] == []


def test_they_have_types_and_say_what_may_be_absent() -> None:
    told = {item.label: item.detail for item in items(put("{ref: plan.input.reason,", "{ref: ‸,"))}
    assert told["plan.input.reason"] == "string, may be absent"
    assert told["plan.input.desk"] == "scope" and told["input.amount"] == "number"


def test_what_fits_the_target_comes_first() -> None:
    found = labels(put("{ref: plan.input.reason, default: no reason given}", "{ref: ‸}"), REFERENCE)
    assert found[0] == "plan.input.reason"  # of the same name
    assert found.index("plan.input.customer") < found.index("input.amount")  # a string before a number


def test_whatever_is_proposed_compiles_there() -> None:
    """Each proposed reference is one that the compiler lets the place read: no fault of a reference follows."""
    place = "when: input.amount <= 50"
    for label in labels(put(place, "when: ‸"), REFERENCE):
        found = compile(put(place, f'when: "{label} != null"')).diagnostics
        assert [each.code for each in found if each.code.startswith("reference")] == [], label


def test_the_query_is_the_compilers_own() -> None:
    """`loopstep symbols` and completion answer from the same scopes."""
    view = look(load(REFUND)[0])
    assert view is not None
    scope = scope_at(view, ("graph", "edges", 0, "when"))
    assert scope is not None
    line = REFUND.split("\n").index("      when: input.amount <= 50") + 1
    found = symbols_at(REFUND, line, 14)
    assert found is not None and found["path"] == "/graph/edges/0/when"
    assert [one["ref"] for one in found["symbols"]] == [symbol.text for symbol in symbols(scope)]
    assert {"ref": "input.amount", "type": "number", "present": True, "secret": False, "description": ""} in found[
        "symbols"
    ]


def test_functions_stand_in_expressions_and_not_in_refs() -> None:
    assert {"length", "contains", "startsWith", "endsWith"} <= set(
        labels(put("when: input.amount <= 50", "when: len‸"))
    )
    assert "length" not in labels(put("{ref: input.amount}}]}", "{ref: le‸}}]}"))


def test_nothing_in_a_text_outside_of_braces_or_inside_of_quotes() -> None:
    assert labels(put('"{{ plan.input.customer }}', '"hello ‸ {{ plan.input.customer }}')) == []
    assert labels(put("when: input.amount <= 50", 'when: plan.name == "st‸"')) == []
    assert labels(put('"{{ plan.input.customer }}', '"\\\\{{ ‸')) == []


# -- names and words ---------------------------------------------------------------------------------------------------


def test_names_of_fields_by_place() -> None:
    assert labels("‸")[0] == "plan"
    assert set(labels("apiVersion: loop.plan/v1\n‸")) >= {"kind", "graph", "input", "state", "metadata", "timeout"}
    assert "apiVersion" not in labels("apiVersion: loop.plan/v1\n‸")
    message = put("      retry: {maxAttempts: 3, backoff: PT2S}", "      ‸")
    assert set(labels(message)) == {"title", "preconditions", "output", "retry", "timeout"}
    assert {"maxAttempts", "backoff", "factor", "maxBackoff"} == set(
        labels(put("{maxAttempts: 3, backoff: PT2S}", "{‸}"))
    )
    assert "retry" not in labels(put("      pass: {}\n", "      pass: {}\n      ‸\n"))
    assert set(labels(put("{ref: plan.input.reason,", "{ref: plan.input.reason, ‸"))) >= {"convert"}


def test_a_nodes_own_key_comes_with_what_it_needs() -> None:
    found = items(put("      pass: {}\n", "      ‸\n"))
    assert found[0].label == "pass" and found[0].insert == "pass: {}"
    wait = put("type: pass", "type: wait").replace("      pass: {}\n", "      ‸\n", 1)
    assert items(wait)[0].insert == "wait:\n        duration: {value: ${1:PT1M}}"


def test_targets_of_bindings_by_the_contract_of_the_target() -> None:
    text = put("        amount: {ref: input.amount}\n", "        ‸\n")
    assert [(item.label, item.detail) for item in items(text)] == [("amount", "number, required")]
    assert labels(put("{decision: {value: paid}}", "{‸}")) == ["decision"]
    assert labels(put("merge: {sizes: {ref: items.size}}", "merge: {‸}", REGIONS)) == ["sizes"]


def test_values_of_a_target() -> None:
    assert labels(put("{value: paid}", "{value: ‸}")) == ["paid", "referred"]
    assert {"{ref: input.amount}", "{ref: …}", "{value: …}"} <= set(
        labels(put("amount: {ref: input.amount}\n", "amount: ‸\n"))
    )


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("type: set_variable", "type: se‸", [*CATALOG]),
        ("{nodeId: pay, port: in}", "{nodeId: ‸, port: in}", ["look", "pay", "refer", "done", "too_much"]),
        ("{nodeId: look, port: failed}", "{nodeId: look, port: ‸}", ["failed", "completed"]),
        ("{nodeId: refer, port: in}", "{nodeId: refer, port: ‸}", ["in"]),
        ("{outcome: succeeded}", "{outcome: ‸}", ["succeeded", "failed"]),
        ("state: paid, value", "state: ‸, value", ["paid"]),
        ("desk: {type: scope, required: true}", "desk: {type: scope, required: ‸}", ["true", "false"]),
        ("backoff: PT2S", "backoff: ‸", ["PT30S", "PT5M", "PT1H", "P1D", "P7D"]),
        ("      pass: {}\n", "      pass: {}\n      preconditions: [‸]\n", ["amount"]),
    ],
)  # fmt: skip
def test_words(old: str, new: str, found: list[str]) -> None:
    assert labels(put(old, new)) == found


def test_words_of_regions() -> None:
    assert labels(put("join: {fanOut: each,", "join: {fanOut: ‸,", REGIONS)) == ["each", "split"]
    assert set(labels(put("{nodeId: again, port: exhausted}", "{nodeId: again, port: ‸}", REGIONS))) == {
        "body", "completed", "exhausted", "failed",
    }  # fmt: skip
    assert labels(put("{nodeId: again, port: next}", "{nodeId: again, port: ‸}", REGIONS)) == ["in", "next"]
    assert labels(put("merge: {sizes: {ref: items.size}}", "mode: ‸", REGIONS)) == ["all", "any", "count"]


def test_conversions() -> None:
    base = "{ref: input.amount, convert: {‸}}}]}"
    assert set(labels(put("{ref: input.amount}}]}", base))) == {"to", "mode", "from", "topK", "orAbsent"}
    assert "string" in labels(put("{ref: input.amount}}]}", base.replace("‸", "to: ‸")))
    assert labels(put("{ref: input.amount}}]}", base.replace("‸", "to: string, mode: ‸"))) == ["concat", "json", "top1"]


def test_snippets_are_whole_nodes_and_edges() -> None:
    text = put("    - {id: done,", "    - ‸\n    - {id: done,")
    found = {item.label: item for item in items(text)}
    assert set(CATALOG) <= set(found)
    before, _, after = text.partition("‸")
    insert = re.sub(r"\$\{\d+:([^{}]*)\}", r"\1", found["llm"].insert)
    root, faults = load(before + insert + after)
    assert root is not None and faults == []
    dashed = items(put("    - id: small", "    ‸\n    - id: small"))
    assert dashed[0].insert.startswith("- id: ${1:id}\n      source: ")


def test_json_is_completed_as_json() -> None:
    text = '{"apiVersion": "loop.plan/v1", "graph": {"nodes": [{"id": "a", "type": ‸}]}}'
    assert '"wait"' in [item.insert for item in items(text)]
    assert "wait" in [item.insert for item in items(text.replace("‸", '"‸"'))]
    names = items('{"apiVersion": "loop.plan/v1", "‸"}')
    assert "graph" in [item.insert for item in names]


# -- broken documents --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{ref: input.amount}}]}", "{ref: input.‸"),  # brackets open
        ("{ref: input.amount}}]}", '{ref: "input.‸'),  # and a quote
        ('text: "{{ plan.input.customer }} wants {{ input.amount }} back: {{ input.reason }}"', 'text: "{{ input.‸'),
        ("when: input.amount <= 50", 'when: "input.‸'),
        ("when: input.amount <= 50", "\twhen: input.‸"),
        ("when: input.amount <= 50", "when: input.‸\n     odd"),
        ("when: input.amount <= 50", "when: input.‸\n    x: @y"),
        ("metadata: {name: refund, title: Refunds}", "metadata: {name: refund, title: 'Re\nx: 1"),  # broken far away
    ],
)
def test_a_broken_document_still_completes(old: str, new: str) -> None:
    text = put(old, new)
    if "‸" not in text:
        text = put("when: input.amount <= 50", "when: input.‸", text)
    before, _, after = text.partition("‸")
    assert "document.syntax" in {each.code for each in compile(before + after).diagnostics}
    assert "input.amount" in labels(text, REFERENCE)


def test_what_cannot_be_repaired_is_completed_from_the_last_good_text() -> None:
    document = Document(REFUND)
    document.settle()
    noise = "\n".join(f"  ]}}{n}: '" for n in range(40))
    text = noise + "\n" + put("when: input.amount <= 50", "when: input.")
    document.text = text
    line = text[: text.index("when: input.")].count("\n") + 1
    found = complete(document, line, 20)
    assert "input.amount" in [item.label for item in found]


def test_a_half_written_name_is_completed() -> None:
    found = labels(put("      retry: {maxAttempts: 3, backoff: PT2S}", "      re‸"))
    assert "retry" in found and "timeout" in found
