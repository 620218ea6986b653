"""Values, bindings and references against the rules of LANGUAGE §4, §5, §7, §8."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopstep.compiler.compile import compile

Faults = Callable[..., list[str]]

STEP = """
input: {v: {type: string, required: true}, note: {type: string}, n: {type: integer, required: true}, s: {type: scope, required: true}}
output: {v: {type: string, required: true}}
state: {last: {type: string}, o: {type: object, properties: {a: {type: string}, b: {type: integer, required: true}}}}
"""

BINDINGS = {
    "entry_binds_too_little": """
graph:
  entry:
    nodeId: w
    port: in
    input: {}  #! binding.required_target
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "entry_passes_through": """
graph:
  entry:  #! binding.type_mismatch @any
    nodeId: w
    port: in
  nodes:
    - {id: w, type: wait, input: {v: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "empty_bindings_are_not_left_out": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {}}  #! binding.required_target
""",
    "failed_end_needs_no_bindings": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, input: {why: {type: integer, required: true}}, end: {outcome: failed, code: stopped}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: f, source: {nodeId: w, port: failed}, target: {nodeId: stop, port: in}}
""",
    "failed_end_takes_what_it_declares": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, input: {why: {type: string}}, end: {outcome: failed, code: stopped}}
    - {id: halt, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: f, source: {nodeId: w, port: failed}, target: {nodeId: stop, port: in}, when: error.code == "x", bindings: {why: {ref: error.message}}}
    - {id: g, source: {nodeId: w, port: failed}, target: {nodeId: halt, port: in}, bindings: {why: {ref: error.message}}}  #! binding.unknown_target
""",
    "succeeded_end_with_its_own_input": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: same, type: end, input: {v: {type: string, required: true}}, end: {outcome: succeeded}}
    - {id: other, type: end, input: {v: {type: integer, required: true}}, end: {outcome: succeeded}}  #! binding.type_mismatch
    - {id: less, type: end, input: {}, end: {outcome: succeeded}}  #! binding.required_target
    - {id: maybe, type: end, input: {v: {type: string}}, end: {outcome: succeeded}}  #! binding.optional_source
    - {id: default, type: end, input: {v: {type: string, default: x}}, end: {outcome: succeeded}}
    - {id: more, type: end, input: {v: {type: string, required: true}, w: {type: string}}, end: {outcome: succeeded}}  #! binding.unknown_target
  edges:
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: same, port: in}, when: input.v == "a"}
    - {id: b, source: {nodeId: w, port: completed}, target: {nodeId: other, port: in}, when: input.v == "b", bindings: {v: {value: 1}}}
    - {id: c, source: {nodeId: w, port: completed}, target: {nodeId: less, port: in}, when: input.v == "c"}
    - {id: d, source: {nodeId: w, port: completed}, target: {nodeId: maybe, port: in}, when: input.v == "d"}
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: default, port: in}, when: input.v == "e"}
    - {id: f, source: {nodeId: w, port: completed}, target: {nodeId: more, port: in}}
""",
    "an_unknown_target_may_be_the_missing_one": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: x, type: wait, input: {first: {type: string, required: true}, second: {type: string, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: x, port: in}
      bindings:  #! binding.required_target @any
        frist: {ref: plan.input.v}  #! binding.unknown_target
    - {id: f, source: {nodeId: x, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: input.first}}}
""",
    "required_with_default_may_be_left_out": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true, default: x}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "absent_for_a_required_target_with_default": """
graph:
  entry: {nodeId: w, port: in, input: {v: {ref: plan.input.note}}}
  nodes:
    - {id: w, type: wait, input: {v: {type: string, required: true, default: x}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
""",
    "default_modifier": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      when: plan.input.n > 1
      bindings: {v: {ref: plan.input.note, default: none}}
    - id: f
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      bindings: {v: {ref: plan.input.v, default: none}}
""",
    "expr_that_is_a_reference_is_a_reference": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      bindings:
        v: {expr: plan.input.note}  #! binding.optional_source
""",
    "a_guard_of_when_proves_nothing_for_bindings": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      when: plan.input.note != null
      bindings:
        v: {ref: plan.input.note}  #! binding.optional_source
    - {id: f, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "preconditions_prove_nothing": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {note: {type: string}}, preconditions: [note], wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      bindings:
        v: {ref: input.note}  #! binding.optional_source
""",
    "config_values_have_types_too": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, wait: {duration: {ref: plan.input.v}}}  #! binding.type_mismatch
    - {id: x, type: wait, wait: {until: {value: 2026-01-01T00:00:00Z}}}
    - {id: y, type: send_message, sendMessage: {scope: {ref: plan.input.v}, text: hi}}  #! binding.type_mismatch
    - {id: z, type: send_message, sendMessage: {scope: {value: team}, text: hi}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: x, port: in}}
    - {id: f, source: {nodeId: x, port: completed}, target: {nodeId: y, port: in}}
    - {id: g, source: {nodeId: y, port: completed}, target: {nodeId: z, port: in}}
    - {id: h, source: {nodeId: z, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "approval_passes_its_input_when_timed_out": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: request_approval, input: {v: {type: string, required: true}}, requestApproval: {scope: {ref: plan.input.s}, summary: ok}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: w, port: approved}, target: {nodeId: done, port: in}}  #! binding.required_target
    - {id: r, source: {nodeId: w, port: rejected}, target: {nodeId: done, port: in}, bindings: {v: {ref: output.decision}}}
    - {id: t, source: {nodeId: w, port: timed_out}, target: {nodeId: done, port: in}}
""",
    "a_callback_without_output_passes_its_input": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: send_message, input: {v: {type: string, required: true}}, sendMessage: {scope: {ref: plan.input.s}, text: hi, completion: callback}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}}
    - {id: t, source: {nodeId: w, port: timed_out}, target: {nodeId: done, port: in}}
""",
    "nested_optional_property_is_another_type": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: wait, input: {o: {type: object, default: {}, properties: {a: {type: string}}}}, wait: {duration: {value: PT0S}}}
    - {id: x, type: wait, input: {o: {type: object, required: true, properties: {a: {type: string, required: true}}}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: x, port: in}}  #! binding.type_mismatch
    - {id: f, source: {nodeId: x, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: input.o.a}}}
""",
}

REFERENCES = {
    "item_only_on_item_edges": """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {value: [1, 2, 3]}}}
    - {id: work, type: wait, input: {i: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: merge, type: join, input: {i: {type: integer}}, join: {fanOut: each}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: item}, target: {nodeId: work, port: in}, when: item > 1, bindings: {i: {ref: item}}}
    - {id: b, source: {nodeId: each, port: item}, target: {nodeId: merge, port: in}, bindings: {i: {ref: item}}}
    - {id: c, source: {nodeId: work, port: completed}, target: {nodeId: merge, port: in}, bindings: {i: {ref: item}}}  #! reference.unavailable
    - {id: d, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "a_join_has_no_input": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, input: {v: {type: string, required: true}}, output: {v: {type: string, required: true}}, join: {fanOut: split, merge: {v: {ref: input.v}}}}  #! reference.unavailable
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: c, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}, when: output.v == "a", bindings: {v: {ref: input.v}}}  #! reference.unavailable
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
    - {id: e, source: {nodeId: both, port: failed}, target: {nodeId: done, port: in}}  #! binding.required_target
""",
    "merge_is_checked_like_bindings": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, output: {v: {type: string, required: true}}, join: {fanOut: split}}  #! binding.required_target
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "winner_by_kind_of_region": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - id: both
      type: join
      input: {v: {type: string}}
      output: {v: {type: string, required: true}, i: {type: integer}, w: {type: string, enum: [l, r, m]}, all: {type: array}}
      join:
        fanOut: split
        mode: any
        merge:
          v: {ref: winner.result.v}
          i: {ref: winner.index}  #! reference.unknown_field
          w: {ref: winner.branch}
          all: {ref: items}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}, bindings: {v: {ref: plan.input.v}}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "winner_only_with_mode_any": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, input: {v: {type: string, required: true}}, output: {v: {type: string, required: true}}, join: {fanOut: split, merge: {v: {ref: winner.result.v}}}}  #! reference.unavailable
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "branches_may_be_absent_unless_all_arrive": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, input: {v: {type: string, required: true}}, output: {v: {type: string, required: true}}, join: {fanOut: split, mode: count, count: 1, merge: {v: {ref: branches.l.v}}}}  #! binding.optional_source
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
""",
    "a_null_among_written_items_may_be_absent": """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {value: [1, null, 3]}}}
    - {id: merge, type: join, input: {i: {type: any, required: true}, j: {type: any}}, join: {fanOut: each}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: each, port: item}, target: {nodeId: merge, port: in}, when: item == null, bindings: {i: {value: 0}}}
    - {id: b, source: {nodeId: each, port: item}, target: {nodeId: merge, port: in}, bindings: {i: {ref: item}, j: {ref: item}}}  #! binding.optional_source
    - {id: c, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "items_of_a_field_need_it_present": """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {value: [a, b]}}}
    - {id: merge, type: join, input: {i: {type: string}, j: {type: string}}, output: {i: {type: array, items: {type: string}, required: true}, j: {type: array, required: true}}, join: {fanOut: each, merge: {i: {ref: items.i}, j: {ref: items.j}}}}  #! binding.optional_source
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: b, source: {nodeId: each, port: item}, target: {nodeId: merge, port: in}, bindings: {i: {ref: item}}}
    - {id: d, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "items_of_a_field_have_no_gaps_even_for_an_optional_target": """
graph:
  entry: {nodeId: each, port: in}
  nodes:
    - {id: each, type: fan_out, fanOut: {items: {value: [a, b]}}}
    - {id: merge, type: join, input: {i: {type: string}}, output: {i: {type: array}, j: {type: array}}, join: {fanOut: each, merge: {i: {ref: items.i}, j: {ref: items}}}}  #! binding.optional_source
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: b, source: {nodeId: each, port: item}, target: {nodeId: merge, port: in}, bindings: {}}
    - {id: d, source: {nodeId: merge, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "merge_roots_only_in_merge": """
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [l, r]}}
    - {id: both, type: join, input: {v: {type: string, required: true}}, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: split, port: l}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: b, source: {nodeId: split, port: r}, target: {nodeId: both, port: in}, bindings: {v: {value: x}}}
    - {id: d, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: branches.l.v}}}  #! reference.unavailable
""",
    "counters_inside_the_body_only": """
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, loop: {maxIterations: 3, while: loop.index < 2}}
    - {id: body, type: wait, input: {i: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: more, type: wait, input: {i: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: again, port: body}, target: {nodeId: body, port: in}, bindings: {i: {ref: loop.index}}}
    - {id: b, source: {nodeId: body, port: completed}, target: {nodeId: more, port: in}, bindings: {i: {ref: loop.maxIterations}}}
    - {id: c, source: {nodeId: more, port: completed}, target: {nodeId: again, port: next}, when: loop.iteration > 1}
    - {id: c2, source: {nodeId: more, port: completed}, target: {nodeId: again, port: next}, bindings: {}}
    - {id: d, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}, when: loop.index > 1, bindings: {v: {value: x}}}  #! reference.unavailable
    - {id: e, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
    - {id: f, source: {nodeId: again, port: exhausted}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "outer_counters_on_the_inner_loops_exits": """
graph:
  entry: {nodeId: outer, port: in}
  nodes:
    - {id: outer, type: loop, loop: {maxIterations: 3}}
    - {id: inner, type: loop, loop: {maxIterations: 3, while: loop.parent.index < 2}}
    - {id: step, type: wait, input: {i: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: after, type: wait, input: {i: {type: integer, required: true}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: a, source: {nodeId: outer, port: body}, target: {nodeId: inner, port: in}}
    - {id: b, source: {nodeId: inner, port: body}, target: {nodeId: step, port: in}, bindings: {i: {expr: loop.parent.index + loop.index}}}
    - {id: c, source: {nodeId: step, port: completed}, target: {nodeId: inner, port: next}}
    - {id: d, source: {nodeId: inner, port: completed}, target: {nodeId: after, port: in}, bindings: {i: {ref: loop.index}}}
    - {id: e, source: {nodeId: inner, port: exhausted}, target: {nodeId: after, port: in}, bindings: {i: {ref: loop.parent.index}}}  #! reference.unavailable
    - {id: f, source: {nodeId: after, port: completed}, target: {nodeId: outer, port: next}}
    - {id: g, source: {nodeId: outer, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "message_output_by_mode": """
graph:
  entry: {nodeId: w, port: in}
  nodes:
    - {id: w, type: send_message, sendMessage: {scope: {ref: plan.input.s}, text: hi, thread: open}}
    - {id: x, type: send_message, sendMessage: {scope: {ref: plan.input.s}, text: hi}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: x, port: in}, when: output.messageId == output.threadId}
    - {id: e2, source: {nodeId: w, port: completed}, target: {nodeId: x, port: in}}
    - {id: g, source: {nodeId: w, port: failed}, target: {nodeId: done, port: in}, bindings: {v: {ref: output.threadId}}}  #! reference.unavailable
    - {id: h, source: {nodeId: x, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {ref: output.threadId}}}  #! reference.unavailable
""",
}

CONVERT = {
    "by_type_of_the_source": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: x, type: wait, input: {p: {type: filePath}, t: {type: string}, n: {type: number}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: x, port: in}
      bindings:
        p: {ref: plan.input.n, convert: {to: filePath}}  #! convert.unsupported
        t: {ref: plan.input.n, convert: {to: string}}
        n: {ref: plan.input.v, convert: {to: integer}}
    - id: f
      source: {nodeId: x, port: completed}
      target: {nodeId: done, port: in}
      bindings:
        v: {ref: plan.input.note, convert: {to: string}}  #! binding.optional_source
""",
    "or_absent_may_be_absent": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: x, type: wait, input: {n: {type: number, required: true}, p: {type: number}, q: {type: number}}, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: x, port: in}
      bindings:
        n: {ref: plan.input.v, convert: {to: number, orAbsent: true}}  #! binding.optional_source
        p: {ref: plan.input.v, convert: {to: number, orAbsent: true}}
        q: {ref: plan.input.v, convert: {to: number, orAbsent: 1}}  #! document.invalid_value
    - id: f
      source: {nodeId: x, port: completed}
      target: {nodeId: done, port: in}
      bindings: {v: {ref: plan.input.v}}
""",
    "yields_what_to_says": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, wait: {duration: {value: PT0S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      bindings:
        v: {ref: plan.input.v, convert: {to: number}}  #! binding.type_mismatch
""",
    "kind_of_the_output_field": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: knowledge_retrieval, knowledgeRetrieval: {query: hi, source: DOCUMENT}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: e
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      when: output.evidenceCount > 1
      bindings: {v: {ref: output.evidences, convert: {to: string, mode: concat}}}
    - id: f
      source: {nodeId: w, port: completed}
      target: {nodeId: done, port: in}
      bindings: {v: {ref: output.sourceType, convert: {to: string, mode: concat}}}  #! convert.unsupported
""",
    "a_scope_is_never_made": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: send_message, sendMessage: {scope: {ref: plan.input.v, convert: {to: scope}}, text: hi}}  #! convert.unsupported
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
}

STATE = {
    "undeclared_part_and_other_roots": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - id: w
      type: set_variable
      setVariable:
        assignments:
          - {state: o.c, value: {value: x}}  #! state.undeclared
          - {state: o.a.b, value: {value: x}}  #! state.undeclared
          - {state: plan.input.v, value: {value: x}}  #! state.undeclared
          - {state: state.last, value: {value: x}}  #! state.undeclared
          - {state: o.b, value: {value: x}}  #! binding.type_mismatch
          - {state: "last[0]", value: {value: x}}  #! state.undeclared
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
    "a_path_and_its_part": """
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - id: w
      type: set_variable
      setVariable:
        assignments:
          - {state: o.a, value: {value: x}}
          - {state: o, value: {value: {b: 1}}}  #! state.duplicate_assignment
          - {state: o.b, value: {value: 1}}  #! state.duplicate_assignment
          - {state: last, value: {value: x}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: e, source: {nodeId: w, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: x}}}
""",
}


@pytest.mark.parametrize("name", BINDINGS)
def test_bindings(name: str, faults: Faults) -> None:
    assert faults(STEP, BINDINGS[name]) == []


@pytest.mark.parametrize("name", REFERENCES)
def test_references(name: str, faults: Faults) -> None:
    assert faults(STEP, REFERENCES[name]) == []


@pytest.mark.parametrize("name", CONVERT)
def test_convert(name: str, faults: Faults) -> None:
    assert faults(STEP, CONVERT[name]) == []


@pytest.mark.parametrize("name", STATE)
def test_state(name: str, faults: Faults) -> None:
    assert faults(STEP, STATE[name]) == []


def test_the_way_to_a_scope_is_said(document: Callable[..., str]) -> None:
    plan = """
input: {s: {type: string, required: true}}
graph:
  entry: {nodeId: tell, port: in}
  nodes:
    - {id: tell, type: send_message, sendMessage: {scope: {ref: plan.input.s}, text: hi}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: told, source: {nodeId: tell, port: completed}, target: {nodeId: done, port: in}}
"""
    (found,) = compile(document(plan)).diagnostics
    assert found.code == "binding.type_mismatch" and "type: scope" in found.hint and "convert:" not in found.hint
