"""Ids, ports, wiring and cycles (LANGUAGE §8, §10), and the graph questions behind them."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopstep.compiler.graph import closing_edges, reachable, successors_of, topological

Faults = Callable[..., list[str]]

FIELDS = """
input: {v: {type: string, required: true}, n: {type: integer, required: true}}
output: {v: {type: string, required: true}}
"""

GRAPHS = {
    "unknown_entry_reaches_every_node": """
graph:
  entry: {nodeId: nowhere, port: in}  #! graph.unknown_node
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_run_starts_at_in": """
graph:
  entry: {nodeId: again, port: next}  #! graph.unknown_port
  nodes:
    - {id: again, type: loop, input: {v: {type: string, required: true}}, loop: {maxIterations: 2}}
    - {id: w, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: w, port: in}}
    - {id: b, source: {nodeId: w, port: completed}, target: {nodeId: again, port: next}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "an_unknown_port_is_one_fault": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: complete}, target: {nodeId: done, port: in}}  #! graph.unknown_port
""",
    "what_depends_on_an_unknown_port_fits": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: fail}  #! graph.unknown_port
      target: {nodeId: done, port: in}
      bindings: {v: {ref: error.message}}
    - {id: f, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "an_unknown_entry_port": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: next}}  #! graph.unknown_port
""",
    "an_end_has_no_exit": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: f, source: {nodeId: done, port: completed}, target: {nodeId: w, port: in}, bindings: {v: {value: x}}}  #! graph.unknown_port
""",
    "an_unknown_source_may_be_any_node": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: ww1, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: input.v}}}  #! graph.unknown_node
""",
    "an_unknown_target_may_be_any_node": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: over, port: in}}  #! graph.unknown_node
""",
    "a_node_of_unknown_type_has_no_ports": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wiat, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}  #! document.invalid_value
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: anywhere}, target: {nodeId: done, port: in}, bindings: {v: {ref: output.x}}}
""",
    "its_declared_input_still_counts": """
graph:
  entry:
    nodeId: w
    port: in
    input:
      v: {ref: plan.input.n}  #! binding.type_mismatch
  nodes:
    - {id: w, type: wiat, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}  #! document.invalid_value
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "an_end_without_outcome_fits_either": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {}}  #! document.missing_field
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: f, source: {nodeId: w, port: failed}, target: {nodeId: done, port: in}, bindings: {x: {value: 1}}}
""",
    "duplicate_ids": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - id: w  #! graph.duplicate_id
      type: wait
      wait: {duration: {value: later}}  #! binding.type_mismatch
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, when: plan.input.n > 1}
    - id: e  #! graph.duplicate_id
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
""",
    "every_port_but_failed_and_otherwise": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: request_approval, requestApproval: {scope: {value: team}, summary: ok}}  #! graph.unwired_port #! graph.unwired_port
    - {id: c, type: condition, condition: {conditions: [{expression: a}, {expression: b}]}}  #! graph.unwired_port
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: approved}, target: {nodeId: c, port: in}}
    - {id: f, source: {nodeId: c, port: branch_0}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "an_unwired_port_may_lead_to_the_end": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: pass, input: {v: {type: string, required: true}}, pass: {}}  #! graph.unwired_port
    - {id: done, type: end, end: {outcome: succeeded}}  #? graph.unreachable
  edges: []
""",
    "loop_without_while_has_no_exhausted": """
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, input: {v: {type: string, required: true}}, loop: {maxIterations: 2}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: again, port: next}}
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
    - {id: d, source: {nodeId: again, port: exhausted}, target: {nodeId: done, port: in}}  #! graph.unknown_port
""",
    "defaults_of_a_port": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: b, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, when: input.v == "b"}
    - {id: c, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}  #! edge.ambiguous
    - {id: d, source: {nodeId: w, port: failed}, target: {nodeId: done, port: in}, when: error.code == "d"}  #? edge.no_default
    - {id: e, source: {nodeId: w, port: failed}, target: {nodeId: done, port: in}, when: error.code == "e"}
""",
    "a_node_that_leads_to_itself": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: b, source: {nodeId: w, port: failed}, target: {nodeId: w, port: in}}  #! graph.cycle_without_loop
""",
    "the_edge_that_closes_the_cycle_in_document_order": """
graph:
  entry: {nodeId: a, port: in}
  nodes:
    - {id: a, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: b, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: c, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: ca, source: {nodeId: c, port: failed}, target: {nodeId: a, port: in}}
    - {id: ab, source: {nodeId: a, port: completed}, target: {nodeId: b, port: in}}
    - {id: bc, source: {nodeId: b, port: completed}, target: {nodeId: c, port: in}}  #! graph.cycle_without_loop
    - {id: cb, source: {nodeId: c, port: failed}, target: {nodeId: b, port: in}, when: error.code == "x"}
    - {id: done, source: {nodeId: c, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_cycle_at_a_loops_in": """
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, input: {v: {type: string, required: true}}, loop: {maxIterations: 2}}
    - {id: w, type: pass, input: {v: {type: string, required: true}}, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: w, port: in}}
    - {id: b, source: {nodeId: w, port: completed}, target: {nodeId: again, port: in}}  #! graph.cycle_without_loop
    - {id: c, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
""",
    "output_missing_though_an_end_stands_apart": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: pass, pass: {}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
    - {id: done, type: end, end: {outcome: succeeded}}  #? graph.unreachable #! output.missing @any
  edges:
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: stop, port: in}}
""",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_wiring(name: str, faults: Faults) -> None:
    assert faults(FIELDS, GRAPHS[name]) == []


def test_no_output_needs_no_succeeded_end(faults: Faults) -> None:
    graph = """
output: {v: {type: string}}
graph:
  entry: {nodeId: stop, port: in}
  nodes:
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges: []
"""
    assert faults(graph) == []


def test_reachable_and_order() -> None:
    edges = [("a", "b"), ("b", "c"), ("d", "c")]
    assert reachable(["a"], successors_of(edges)) == {"a", "b", "c"}
    assert topological(["c", "b", "a", "d"], edges) == (["a", "d", "b", "c"], [])
    assert topological(["a", "b"], [("a", "b"), ("b", "a")]) == ([], ["a", "b"])


def test_closing_edges() -> None:
    assert closing_edges(["a", "b"], [("a", "a"), ("a", "b")]) == {0}
    assert closing_edges(["a", "b", "c"], [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")]) == {1, 3}
    assert closing_edges(["a", "b"], [("a", "b"), ("a", "b")]) == set()


def test_closing_edges_leave_no_cycle() -> None:
    ids = [f"n{i}" for i in range(60)]
    edges = [(ids[i * 7 % 60], ids[i * 11 % 60]) for i in range(240)]
    closing = closing_edges(ids, edges)
    rest = [edge for position, edge in enumerate(edges) if position not in closing]
    assert closing and topological(ids, rest)[1] == []
    for position in closing:  # each one of them closes a cycle with what stands before it
        before = [edge for other, edge in enumerate(edges[:position]) if other not in closing]
        assert edges[position][0] in reachable([edges[position][1]], successors_of(before))
