"""Parts, bodies, pairs: what leads into, out of and between them (LANGUAGE §8, Regions)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Faults = Callable[..., list[str]]

FIELDS = """
input: {n: {type: integer, required: true}}
output: {}
"""

BRANCHES = {
    "a_port_may_lead_straight_to_the_join": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "out_to_what_stands_behind_the_join": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: after, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: x, source: {nodeId: left, port: failed}, target: {nodeId: after, port: in}}  #! graph.region_escape
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: after, port: in}}
    - {id: e, source: {nodeId: after, port: completed}, target: {nodeId: done, port: in}}
""",
    "into_a_part": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: x, source: {nodeId: split, port: failed}, target: {nodeId: left, port: in}}  #! graph.region_escape
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "into_the_join_from_outside": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: x, source: {nodeId: split, port: failed}, target: {nodeId: both, port: in}}  #! graph.region_escape
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "two_branches_that_meet": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: right, type: pass, pass: {}}
    - {id: shared, type: pass, pass: {}}
    - {id: more, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: right, port: in}}
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: shared, port: in}}
    - {id: d, source: {nodeId: right, port: completed}, target: {nodeId: shared, port: in}}  #! graph.region_escape
    - {id: e, source: {nodeId: shared, port: completed}, target: {nodeId: more, port: in}}
    - {id: f, source: {nodeId: more, port: completed}, target: {nodeId: both, port: in}}
    - {id: g, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_shared_way_to_a_failed_end": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: right, type: pass, pass: {}}
    - {id: tidy, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: right, port: in}}
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: right, port: completed}, target: {nodeId: both, port: in}}
    - {id: e, source: {nodeId: left, port: failed}, target: {nodeId: tidy, port: in}}
    - {id: f, source: {nodeId: right, port: failed}, target: {nodeId: tidy, port: in}}  #! graph.region_escape
    - {id: g, source: {nodeId: tidy, port: completed}, target: {nodeId: stop, port: in}}
    - {id: h, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_failed_end_is_shared_with_outside": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: stop, port: in}}
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: e, source: {nodeId: left, port: failed}, target: {nodeId: stop, port: in}}
    - {id: f, source: {nodeId: split, port: failed}, target: {nodeId: stop, port: in}}
    - {id: g, source: {nodeId: both, port: failed}, target: {nodeId: stop, port: in}}
    - {id: h, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "an_end_of_its_own_inside": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: early, type: end, end: {outcome: succeeded}}  #! graph.end_in_region
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: e, source: {nodeId: left, port: failed}, target: {nodeId: early, port: in}, when: error.code == "x"}
    - {id: f, source: {nodeId: left, port: failed}, target: {nodeId: early, port: in}}
    - {id: h, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "no_join_names_the_fan_out": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}  #! graph.region_escape
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: done, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: done, port: in}}
""",
    "an_unpaired_join_is_no_region": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: spilt}}  #! graph.join_unpaired
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: done, port: in}}
    - {id: c, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "two_joins_of_one_fan_out": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: again, type: join, join: {fanOut: split}}  #! graph.join_unpaired
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: both, port: completed}, target: {nodeId: again, port: in}}
    - {id: d, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_join_follows_its_fan_out_even_if_no_part_arrives": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: stop, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: stop, port: in}}
    - {id: c, source: {nodeId: both, port: failed}, target: {nodeId: done, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "regions_nest": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: inner, type: fan_out, fanOut: {items: {value: [1, 2]}}}
    - {id: work, type: pass, pass: {}}
    - {id: collect, type: join, join: {fanOut: inner}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: inner, port: item}, target: {nodeId: work, port: in}}
    - {id: d, source: {nodeId: work, port: completed}, target: {nodeId: collect, port: in}}
    - {id: e, source: {nodeId: collect, port: completed}, target: {nodeId: both, port: in}}
    - {id: f, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "out_of_an_inner_part_to_the_outer_one": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: inner, type: fan_out, fanOut: {items: {value: [1, 2]}}}
    - {id: work, type: pass, pass: {}}
    - {id: collect, type: join, join: {fanOut: inner}}
    - {id: after, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: inner, port: item}, target: {nodeId: work, port: in}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: after, port: in}}  #! graph.region_escape
    - {id: d, source: {nodeId: work, port: completed}, target: {nodeId: collect, port: in}}
    - {id: e, source: {nodeId: collect, port: completed}, target: {nodeId: after, port: in}}
    - {id: g, source: {nodeId: after, port: completed}, target: {nodeId: both, port: in}}
    - {id: f, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "out_of_an_inner_part_to_the_outer_join": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: inner, type: fan_out, fanOut: {items: {value: [1, 2]}}}
    - {id: work, type: pass, pass: {}}
    - {id: collect, type: join, join: {fanOut: inner}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: inner, port: item}, target: {nodeId: work, port: in}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: both, port: in}}  #! graph.region_escape
    - {id: d, source: {nodeId: work, port: completed}, target: {nodeId: collect, port: in}}
    - {id: e, source: {nodeId: collect, port: completed}, target: {nodeId: both, port: in}}
    - {id: f, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "regions_do_not_cross": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: inner, type: fan_out, fanOut: {items: {value: [1, 2]}}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: collect, type: join, join: {fanOut: inner}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: inner, port: item}, target: {nodeId: both, port: in}}  #! graph.region_escape
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: collect, port: in}}
    - {id: e, source: {nodeId: collect, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_condition_inside_a_part_is_no_branch": """
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: look, type: pass, pass: {}}
    - {id: one, type: pass, pass: {}}
    - {id: two, type: pass, pass: {}}
    - {id: three, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: look, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: look, port: completed}, target: {nodeId: one, port: in}, when: plan.input.n > 1}
    - {id: d, source: {nodeId: look, port: completed}, target: {nodeId: two, port: in}}
    - {id: e, source: {nodeId: one, port: completed}, target: {nodeId: three, port: in}}
    - {id: f, source: {nodeId: two, port: completed}, target: {nodeId: three, port: in}}
    - {id: g, source: {nodeId: three, port: completed}, target: {nodeId: both, port: in}}
    - {id: h, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
}

STARTS = {
    "at_a_join": """
graph:
  entry: {nodeId: both, port: in}  #! graph.region_escape
  nodes:
    - {id: both, type: join, join: {fanOut: split}}
    - {id: split, type: fan_out, fanOut: {branches: [l]}}  #? graph.unreachable
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: b, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "inside_a_part": """
graph:
  entry: {nodeId: left, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l]}}  #? graph.unreachable
    - {id: left, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: left, port: in}}
    - {id: b, source: {nodeId: left, port: completed}, target: {nodeId: both, port: in}}  #! graph.region_escape
    - {id: c, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "inside_a_body": """
graph:
  entry: {nodeId: work, port: in}  #! graph.region_escape
  nodes:
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: work, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: work, port: in}}
    - {id: b, source: {nodeId: work, port: completed}, target: {nodeId: again, port: next}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
}

LOOPS = {
    "out_of_a_body": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: work, type: pass, pass: {}}
    - {id: after, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: work, port: in}}
    - {id: b, source: {nodeId: work, port: completed}, target: {nodeId: again, port: next}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: after, port: in}}  #! graph.region_escape
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: after, port: in}}
    - {id: d, source: {nodeId: after, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_run_does_not_end_in_a_body": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: work, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}  #! graph.end_in_region
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: work, port: in}}
    - {id: b, source: {nodeId: work, port: completed}, target: {nodeId: again, port: next}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: done, port: in}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_failed_end_is_a_way_out": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: work, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: work, port: in}}
    - {id: b, source: {nodeId: work, port: completed}, target: {nodeId: again, port: next}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: stop, port: in}}
    - {id: y, source: {nodeId: again, port: failed}, target: {nodeId: stop, port: in}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "into_next_from_outside": """
    - {id: first, type: pass, pass: {}}
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: first, port: completed}, target: {nodeId: again, port: in}}
    - {id: b, source: {nodeId: again, port: body}, target: {nodeId: again, port: next}}
    - {id: x, source: {nodeId: first, port: failed}, target: {nodeId: again, port: next}}  #! graph.region_escape
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_loop_that_is_entered_by_next_only": """
    - {id: first, type: pass, pass: {}}
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: first, port: completed}, target: {nodeId: again, port: next}}  #! graph.region_escape
    - {id: b, source: {nodeId: again, port: body}, target: {nodeId: again, port: next}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "round_the_loop_by_its_other_exit": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: work, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: again, port: next}}
    - {id: b, source: {nodeId: again, port: completed}, target: {nodeId: work, port: in}}
    - {id: x, source: {nodeId: work, port: failed}, target: {nodeId: again, port: next}}  #! graph.region_escape
    - {id: c, source: {nodeId: work, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_fan_out_inside_a_body": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: split, port: in}}
    - {id: b, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: again, port: next}}
    - {id: e, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "back_to_next_out_of_a_part": """
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: split, port: in}}
    - {id: b, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: c, source: {nodeId: split, port: r}, target: {nodeId: again, port: next}}  #! graph.region_escape
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: again, port: next}}
    - {id: e, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
}


def _graph(rest: str) -> str:
    first = rest.split("id: ", 1)[1].split(",", 1)[0]
    return f"graph:\n  entry: {{nodeId: {first}, port: in}}\n  nodes:\n{rest.strip(chr(10))}\n"


@pytest.mark.parametrize("name", BRANCHES)
def test_parts(name: str, faults: Faults) -> None:
    assert faults(FIELDS, _graph(BRANCHES[name])) == []


@pytest.mark.parametrize("name", LOOPS)
def test_bodies(name: str, faults: Faults) -> None:
    assert faults(FIELDS, _graph(LOOPS[name])) == []


@pytest.mark.parametrize("name", STARTS)
def test_starts(name: str, faults: Faults) -> None:
    assert faults(FIELDS, STARTS[name]) == []
