"""One typo, one diagnostic: nothing is reported that would vanish when it is mended (LANGUAGE §10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from loopstep.compiler.compile import compile

Document = Callable[..., str]
Faults = Callable[..., list[str]]

PLANS = {
    "branches_bring_state": """
input: {big: {type: boolean, required: true}}
output: {a: {type: string, required: true}, b: {type: string, required: true}}
state: {left: {type: string}, right: {type: string}, size: {type: string}}
graph:
  entry: {nodeId: look, port: in}
  nodes:
    - {id: look, type: wait, input: {big: {type: boolean, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: small, type: set_variable, setVariable: {assignments: [{state: size, value: {value: s}}]}}
    - {id: large, type: set_variable, setVariable: {assignments: [{state: size, value: {value: l}}]}}
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: set_l, type: set_variable, setVariable: {assignments: [{state: left, value: {ref: state.size}}]}}
    - {id: set_r, type: set_variable, setVariable: {assignments: [{state: right, value: {ref: state.size}}]}}
    - {id: stop, type: end, end: {outcome: failed, code: gave_up}}
    - {id: both, type: join, join: {fanOut: split, mode: all}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: look, port: completed}, target: {nodeId: small, port: in}, when: input.big == false}
    - {id: b, source: {nodeId: look, port: completed}, target: {nodeId: large, port: in}, bindings: {}}
    - {id: c, source: {nodeId: small, port: completed}, target: {nodeId: split, port: in}}
    - {id: d, source: {nodeId: large, port: completed}, target: {nodeId: split, port: in}}
    - {id: e, source: {nodeId: split, port: l}, target: {nodeId: set_l, port: in}}
    - {id: f, source: {nodeId: split, port: r}, target: {nodeId: set_r, port: in}}
    - {id: g, source: {nodeId: set_l, port: completed}, target: {nodeId: both, port: in}}
    - {id: h, source: {nodeId: set_r, port: completed}, target: {nodeId: both, port: in}}
    - {id: i, source: {nodeId: set_l, port: failed}, target: {nodeId: stop, port: in}}
    - {id: j, source: {nodeId: set_r, port: failed}, target: {nodeId: stop, port: in}}
    - {id: k, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in},
       bindings: {a: {ref: state.left}, b: {ref: state.right}}}
""",
    "a_loop_counts": """
input: {goal: {type: integer, required: true}}
output: {n: {type: integer, required: true}}
state: {n: {type: integer, default: 0}}
graph:
  entry: {nodeId: first, port: in}
  nodes:
    - {id: first, type: pass, input: {goal: {type: integer, required: true}}, pass: {}}
    - id: again
      type: loop
      input: {goal: {type: integer, required: true}}
      loop: {maxIterations: 5, while: state.n < input.goal}
    - {id: bump, type: set_variable, setVariable: {assignments: [{state: n, value: {expr: loop.iteration + 1}}]}}
    - {id: rest, type: wait, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: too_many}}
  edges:
    - {id: a, source: {nodeId: first, port: completed}, target: {nodeId: again, port: in},
       bindings: {goal: {ref: input.goal}}}
    - {id: b, source: {nodeId: again, port: body}, target: {nodeId: bump, port: in}}
    - {id: c, source: {nodeId: bump, port: completed}, target: {nodeId: rest, port: in}, when: loop.iteration > 1}
    - {id: d, source: {nodeId: bump, port: completed}, target: {nodeId: again, port: next}, bindings: {}}
    - {id: e, source: {nodeId: rest, port: completed}, target: {nodeId: again, port: next}}
    - {id: f, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in},
       bindings: {n: {ref: state.n}}}
    - {id: g, source: {nodeId: again, port: exhausted}, target: {nodeId: stop, port: in}}
""",
    "items_in_a_branch_in_a_loop": """
input: {tags: {type: array, items: {type: string}, required: true}}
output: {}
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, loop: {maxIterations: 2}}
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: each, type: fan_out, fanOut: {items: {ref: plan.input.tags}}}
    - {id: one, type: wait, input: {tag: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: all, type: join, input: {n: {type: integer, required: true}}, join: {fanOut: each, mode: all}}
    - {id: both, type: join, join: {fanOut: split, mode: any}}
    - {id: over, type: end, end: {outcome: failed, code: over}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: split, port: in}}
    - {id: b, source: {nodeId: split, port: l}, target: {nodeId: each, port: in}}
    - {id: c, source: {nodeId: each, port: item}, target: {nodeId: one, port: in}, bindings: {tag: {ref: item}}}
    - {id: d, source: {nodeId: one, port: completed}, target: {nodeId: all, port: in},
       bindings: {n: {ref: loop.iteration}}}
    - {id: e, source: {nodeId: all, port: completed}, target: {nodeId: both, port: in}}
    - {id: f, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: g, source: {nodeId: one, port: failed}, target: {nodeId: over, port: in}}
    - {id: h, source: {nodeId: each, port: failed}, target: {nodeId: over, port: in}}
    - {id: i, source: {nodeId: both, port: completed}, target: {nodeId: again, port: next}}
    - {id: j, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "every_part_fails": """
output: {}
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: stop, type: end, end: {outcome: failed, code: gave_up}}
    - {id: both, type: join, join: {fanOut: split, mode: all}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: stop, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: stop, port: in}}
    - {id: c, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
}

PLACES = {
    "entry": (r"entry: \{nodeId: (\w+)", "graph.unknown_node"),
    "source": (r"source: \{nodeId: (\w+)", "graph.unknown_node"),
    "source_port": (r"source: \{nodeId: \w+, port: (\w+)", "graph.unknown_port"),
    "target": (r"target: \{nodeId: (\w+)", "graph.unknown_node"),
    "target_port": (r"target: \{nodeId: \w+, port: (\w+)", "graph.unknown_port"),
    "type": (r"\btype: (wait|pass|set_variable|fan_out|join|loop|end)\b", "document.invalid_value"),
    "config": (r"(wait|setVariable|fanOut|join|loop|end|pass): \{", "document.unknown_field"),
    "fan_out": (r"join: \{fanOut: (\w+)", "graph.join_unpaired"),
    "outcome": (r"outcome: (\w+)", "document.invalid_value"),
    "mode": (r"mode: (\w+)", "document.invalid_value"),
}


def _typos(text: str, pattern: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start(1)) + 1, text[: match.end(1)] + "z" + text[match.end(1) :]


@pytest.mark.parametrize("plan", PLANS)
def test_the_plans_are_sound(plan: str, faults: Faults) -> None:
    assert faults(PLANS[plan]) == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("plan", PLANS)
def test_one_typo_gives_one_diagnostic(plan: str, place: str, document: Document) -> None:
    pattern, code = PLACES[place]
    wrong = []
    for line, text in _typos(document(PLANS[plan]), pattern):
        found = [(one.code, one.line) for one in compile(text).diagnostics]
        if found != [(code, line)]:
            wrong.append((text.split("\n")[line - 1].strip(), found))
    assert wrong == []


CHOICE = """
input: {b: {type: boolean, required: true}}
output: {}
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {b: {type: boolean, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: ok, type: end, end: {outcome: succeeded}}
  edges:
"""
STRAY = {
    "a_lost_default": """
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: ok, port: in}, when: input.b}
    - {id: b, source: {nodeId: ww, port: completed}, target: {nodeId: ok, port: in}}  #! graph.unknown_node
""",
    "a_lost_edge_that_is_no_default": """
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: ok, port: in}, when: input.b}  #? edge.no_default
    - {id: b, source: {nodeId: w, port: complted}, target: {nodeId: ok, port: in}, when: input.b}  #! graph.unknown_port
""",
    "a_lost_edge_that_may_be_the_first": """
    - {id: b, source: {nodeId: w, port: complted}, target: {nodeId: ok, port: in}, when: input.b}  #! graph.unknown_port
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: ok, port: in}, when: input.b}
""",
    "a_lost_edge_of_another_port": """
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: ok, port: in}, when: input.b}  #? edge.no_default
    - {id: b, source: {nodeId: ww, port: failed}, target: {nodeId: ok, port: in}}  #! graph.unknown_node
""",
}


@pytest.mark.parametrize("edges", STRAY.values(), ids=STRAY)
def test_a_lost_edge_may_be_the_default(edges: str, faults: Faults) -> None:
    assert faults(CHOICE, edges) == []


MEETING = """
output: {}
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: after, type: pass, pass: {}}
    - {id: late, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: late, port: in}}
    - {id: e, source: {nodeId: late, port: completed}, target: {nodeId: after, port: in}}
    - {id: f, source: {nodeId: late, port: failed}, target: {nodeId: done, port: in}}
"""
BESIDE = {
    "an_unknown_target_elsewhere": """
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: bothh, port: in}}  #! graph.unknown_node
    - {id: g, source: {nodeId: left, port: failed}, target: {nodeId: after, port: in}}  #! graph.region_escape
    - {id: h, source: {nodeId: after, port: completed}, target: {nodeId: done, port: in}}
""",
    "the_escape_may_be_the_way_home": """
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: g, source: {nodeId: left, port: failed}, target: {nodeId: after, port: in}}
    - {id: h, source: {nodeId: after, port: completed}, target: {nodeId: bothh, port: in}}  #! graph.unknown_node
""",
}


@pytest.mark.parametrize("edges", BESIDE.values(), ids=BESIDE)
def test_what_is_wrong_anyway_is_reported_beside_it(edges: str, faults: Faults) -> None:
    assert faults(MEETING, edges) == []


def test_two_typos_give_two_diagnostics(document: Document) -> None:
    text, wrong = document(PLANS["every_part_fails"]), []
    spots = sorted({match.end(1) for pattern, _ in PLACES.values() for match in re.finditer(pattern, text)})
    for one, other in combinations(spots, 2):
        lines = {text.count("\n", 0, spot) + 1 for spot in (one, other)}
        found = [
            (each.code, each.line) for each in compile(f"{text[:one]}z{text[one:other]}z{text[other:]}").diagnostics
        ]
        if not 1 <= len(found) <= 2 or not lines.issuperset(line for _, line in found):
            wrong.append((text[one - 5 : one], text[other - 5 : other], found))
    assert wrong == []


def test_the_item_of_a_fan_out_that_cannot_be_read(faults: Faults) -> None:
    """The port may be one of its ports, and the item its item."""
    plan = PLANS["items_in_a_branch_in_a_loop"].replace("port: item}", "port: itemz}")
    plan = plan.replace(
        "fanOut: {items: {ref: plan.input.tags}}}", "fanOutz: {items: {ref: plan.input.tags}}}  #! MARK"
    )
    assert faults(plan.replace("MARK", "document.unknown_field")) == []
