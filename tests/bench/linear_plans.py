"""Generated linear plans: set_variable nodes with typed inputs, explicit bindings, one `when` in ten, and one end."""

from __future__ import annotations

from collections.abc import Iterator

HEAD = """\
apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {{name: {name}, title: A linear plan}}
input:
  amount: {{type: integer, required: true}}
  label: {{type: string, required: true}}
output:
  total: {{type: integer, required: true}}
state:
  total: {{type: integer, required: true, default: 0}}
  label: {{type: string, required: true, default: ""}}
graph:
  entry:
    nodeId: step_1
    port: in
    input:
      amount: {{ref: plan.input.amount}}
  nodes:
"""

NUMBER_NODE = """\
    - id: step_{n}
      type: set_variable
      input:
        amount: {{type: integer, required: true}}
      setVariable:
        assignments:
          - state: total
            value: {{expr: "input.amount + {n}"}}
"""

TEXT_NODE = """\
    - id: step_{n}
      type: set_variable
      input:
        label: {{type: string, required: true}}
      setVariable:
        assignments:
          - state: label
            value: {{ref: input.label}}
"""

MESSAGE_NODE = """\
    - id: message
      type: send_message
      input:
        scope: {type: scope, required: true}
        total: {type: integer, required: true}
      sendMessage:
        scope: {ref: input.scope}
        text: "total {{ input.total }}"
"""

END_NODE = """\
    - id: done
      type: end
      end: {outcome: succeeded}
"""

EDGE = """\
    - id: {id}
      source: {{nodeId: {source}, port: completed}}
      target: {{nodeId: {target}, port: in}}
"""


def linear_plan(nodes: int, name: str = "linear", whens: bool = True, message: bool = False) -> str:
    """A plan of `nodes` nodes, the end (and the send_message before it) among them, as YAML.

    With `whens`, every tenth node has an edge with a `when` to the next node and a default edge past it, as often as
    there is a node to pass by. `message` puts a send_message before the end, to the scope `bench`.
    """
    steps = nodes - (2 if message else 1)
    parts = [HEAD.format(name=name)]
    parts += [(NUMBER_NODE if _counts(n) else TEXT_NODE).format(n=n) for n in range(1, steps + 1)]
    parts += [MESSAGE_NODE if message else "", END_NODE, "  edges:\n"]
    parts += _edges(steps, whens, message)
    return "".join(parts)


def _counts(n: int) -> bool:
    """Every other node computes a number, the rest copy a text."""
    return n % 2 == 1


def _edges(steps: int, whens: bool, message: bool) -> Iterator[str]:
    last = "message" if message else "done"
    for n in range(1, steps + 1):
        target = f"step_{n + 1}" if n < steps else last
        if whens and has_condition(n, steps):
            yield _edge(f"e{n}_kept", f"step_{n}", target, _condition(n), _bindings(n + 1))
            target = f"step_{n + 2}" if n + 1 < steps else last
            yield _edge(f"e{n}", f"step_{n}", target, "", _bindings(n + 2 if n + 1 < steps else 0, message))
        else:
            yield _edge(f"e{n}", f"step_{n}", target, "", _bindings(n + 1 if n < steps else 0, message))
    if message:
        yield _edge("sent", "message", "done", "", "total: {ref: state.total}")


def has_condition(n: int, steps: int) -> bool:
    """Whether step n's edge onwards has a `when`: one in ten, where there is a step to pass by."""
    return n % 20 in (5, 14) and n < steps  # one after a number, one after a text


def _condition(n: int) -> str:
    return "input.amount >= 3" if _counts(n) else "startsWith(input.label, 'vip')"


def _bindings(n: int, message: bool = False) -> str:
    """What leads into step n; 0 is the last node."""
    if n:
        return "amount: {ref: state.total}" if _counts(n) else "label: {ref: plan.input.label}"
    total = "total: {ref: state.total}"
    return f"scope: {{value: bench}}, {total}" if message else total


def _edge(name: str, source: str, target: str, when: str, bindings: str) -> str:
    condition = f'      when: "{when}"\n' if when else ""
    return EDGE.format(id=name, source=source, target=target) + condition + f"      bindings: {{{bindings}}}\n"
