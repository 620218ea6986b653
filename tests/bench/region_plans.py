"""Generated plans with regions and loops, whose parts do as little as a node can: one read, one transaction."""

from __future__ import annotations

HEAD = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"

ITEMS = """\
input:
  numbers: {{type: array, items: {{type: integer}}, required: true}}
output:
  numbers: {{type: array, items: {{type: integer}}, required: true}}
graph:
  entry: {{nodeId: spread, port: in, input: {{numbers: {{ref: plan.input.numbers}}}}}}
  nodes:
    - id: spread
      type: fan_out
      input: {{numbers: {{type: array, items: {{type: integer}}, required: true}}}}
      fanOut: {{items: {{ref: input.numbers}}, maxItems: {most}, maxConcurrency: {side_by_side}}}
    - {{id: work, type: pass, input: {{n: {{type: integer, required: true}}}}, pass: {{}}}}
    - id: gather
      type: join
      input: {{n: {{type: integer, required: true}}}}
      output: {{numbers: {{type: array, items: {{type: integer}}, required: true}}}}
      join: {{fanOut: spread, merge: {{numbers: {{ref: items.n}}}}}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - id: item
      source: {{nodeId: spread, port: item}}
      target: {{nodeId: work, port: in}}
      bindings: {{n: {{ref: item}}}}
    - id: worked
      source: {{nodeId: work, port: completed}}
      target: {{nodeId: gather, port: in}}
      bindings: {{n: {{ref: input.n}}}}
    - {{id: all, source: {{nodeId: gather, port: completed}}, target: {{nodeId: done, port: in}}}}
"""

JOIN_NODES = """\
    - {{id: split_{n}, type: fan_out, fanOut: {{branches: [a, b, c]}}}}
    - {{id: a_{n}, type: pass, pass: {{}}}}
    - {{id: b_{n}, type: pass, pass: {{}}}}
    - {{id: c_{n}, type: pass, pass: {{}}}}
    - id: join_{n}
      type: join
      input: {{n: {{type: integer, required: true}}}}
      output: {{all: {{type: array, items: {{type: integer}}, required: true}}}}
      join: {{fanOut: split_{n}, merge: {{all: {{ref: items.n}}}}}}
"""

JOIN_EDGE = """\
    - id: {id}
      source: {{nodeId: {source}, port: {port}}}
      target: {{nodeId: {target}, port: in}}
      bindings: {bindings}
"""

LOOP = """\
output:
  total: {{type: integer, required: true}}
state:
  total: {{type: integer, required: true, default: 0}}
graph:
  entry: {{nodeId: rounds, port: in}}
  nodes:
    - {{id: rounds, type: loop, loop: {{maxIterations: {rounds}}}}}
    - id: add
      type: set_variable
      setVariable: {{assignments: [{{state: total, value: {{expr: "state.total + 1"}}}}]}}
    - {{id: done, type: end, end: {{outcome: succeeded}}}}
  edges:
    - {{id: body, source: {{nodeId: rounds, port: body}}, target: {{nodeId: add, port: in}}, bindings: {{}}}}
    - {{id: again, source: {{nodeId: add, port: completed}}, target: {{nodeId: rounds, port: next}}, bindings: {{}}}}
    - id: over
      source: {{nodeId: rounds, port: completed}}
      target: {{nodeId: done, port: in}}
      bindings: {{total: {{ref: state.total}}}}
"""


def items_plan(most: int, side_by_side: int) -> str:
    """A fan_out over items with one node a part and a join of all; distributed where `most` is over 500."""
    return HEAD + ITEMS.format(most=most, side_by_side=side_by_side)


def joins_plan(count: int) -> str:
    """That many fan_outs of three branches one after the other, each with its join of all."""
    nodes = "".join(JOIN_NODES.format(n=n) for n in range(1, count + 1))
    edges = "".join(_join_edges(n, f"split_{n + 1}" if n < count else "done") for n in range(1, count + 1))
    done = "    - {id: done, type: end, end: {outcome: succeeded}}\n"
    return f"{HEAD}graph:\n  entry: {{nodeId: split_1, port: in}}\n  nodes:\n{nodes}{done}  edges:\n{edges}"


def _join_edges(n: int, after: str) -> str:
    def edge(name: str, source: str, port: str, target: str, bindings: str) -> str:
        return JOIN_EDGE.format(id=f"{name}_{n}", source=source, port=port, target=target, bindings=bindings)

    into = [edge(f"into_{each}", f"split_{n}", each, f"{each}_{n}", "{}") for each in "abc"]
    out = [
        edge(f"out_{each}", f"{each}_{n}", "completed", f"join_{n}", f"{{n: {{value: {number}}}}}")
        for number, each in enumerate("abc")
    ]
    return "".join([*into, *out, edge("on", f"join_{n}", "completed", after, "{}")])


def loop_plan(rounds: int) -> str:
    """A loop of that many rounds whose body writes the state."""
    return HEAD + LOOP.format(rounds=rounds)
