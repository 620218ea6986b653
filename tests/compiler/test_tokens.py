"""The bound of tokens: no node can make a larger one, and what would is refused (ARCHITECTURE §2)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loopstep.compiler.compile import compile
from loopstep.compiler.emit import emit
from loopstep.compiler.limits import MAX_REGIONS, MAX_STATE_BYTES, MAX_TOKEN_BYTES
from loopstep.compiler.tokens import path_length, token_bytes
from loopstep.runs import keys, regions
from loopstep.runtime.token import Token

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for folder in ("tests/golden/plans", "tests/stack/plans", "examples")
    for path in (ROOT / folder).glob("*.yaml")
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_the_longest_token_is_within_the_bound(path: Path) -> None:
    program = compile(path.read_bytes()).program
    assert program is not None
    for step in program.steps.values():
        way = "9" * path_length(program, step)
        for port, exits in step.exits.items():
            longest = max((exit_.edge for exit_ in exits), key=len, default="")
            token = Token("r" * 70, 99_999_999, way, step.id, way, port, longest).to_json([])
            assert len(json.dumps(token, separators=(",", ":"))) <= token_bytes(program, step) <= MAX_TOKEN_BYTES


def nested(depth: int) -> str:
    """So many loops in each other."""
    nodes = "".join(f"    - {{id: l{n}, type: loop, loop: {{maxIterations: 1}}}}\n" for n in range(depth))
    edges = ""
    for n in range(depth):
        inner = f"l{n + 1}" if n + 1 < depth else "work"
        edges += f"    - {{id: b{n}, source: {{nodeId: l{n}, port: body}}, target: {{nodeId: {inner}, port: in}}}}\n"
        outer = f"{{nodeId: l{n - 1}, port: next}}" if n else "{nodeId: done, port: in}"
        edges += f"    - {{id: c{n}, source: {{nodeId: l{n}, port: completed}}, target: {outer}}}\n"
    last = f"    - {{id: w, source: {{nodeId: work, port: completed}}, target: {{nodeId: l{depth - 1}, port: next}}}}\n"
    end = "    - {id: done, type: end, end: {outcome: succeeded}}\n    - {id: work, type: pass, pass: {}}\n"
    return f"graph:\n  entry: {{nodeId: l0, port: in}}\n  nodes:\n{nodes}{end}  edges:\n{edges}{last}"


@pytest.mark.parametrize(("depth", "codes"), [(MAX_REGIONS, set()), (MAX_REGIONS + 1, {"limit.depth"})])
def test_regions_nest_as_deep_as_documents(document: Callable[..., str], depth: int, codes: set[str]) -> None:
    assert {each.code for each in compile(document(nested(depth))).diagnostics} == codes


def chosen(edges: int) -> str:
    """A node with so many conditional edges."""
    lines = "".join(
        f"    - {{id: e{n}, source: {{nodeId: a, port: completed}}, target: {{nodeId: b, port: in}},"
        f' when: plan.input.text == "t{n}"}}\n'
        for n in range(edges)
    )
    return f"""
input: {{text: {{type: string, required: true}}}}
graph:
  entry: {{nodeId: a, port: in, input: {{}}}}
  nodes:
    - {{id: a, type: pass, pass: {{}}}}
    - {{id: b, type: end, end: {{outcome: succeeded}}}}
  edges:
{lines}    - {{id: z, source: {{nodeId: a, port: completed}}, target: {{nodeId: b, port: in}}}}
"""


@pytest.mark.parametrize(("edges", "codes"), [(16, set()), (600, set()), (700, {"limit.state_size"})])
def test_a_node_with_very_many_conditions_is_refused(document: Callable[..., str], edges: int, codes: set[str]) -> None:
    assert {each.code for each in compile(document(chosen(edges))).diagnostics} == codes


def test_keys_of_the_deepest_activation_fit() -> None:
    """DynamoDB: a sort key has 1,024 bytes. Ids have 63 characters, a number of the path at most 6 and a point."""
    path = ".".join(["99999"] * MAX_REGIONS)
    deepest = keys.activation_id("n" * 63, path)
    longest = [keys.activation_key(deepest), regions.arrival_key(deepest, "b" * 63), regions.guard_key(deepest, "x")]
    assert max(map(len, longest)) <= 1024


def test_a_payload_is_a_spec_and_a_token() -> None:
    """256 KiB: what a Task hands to its function is the fixed part of its state, which the gate bounds, and a token."""
    assert MAX_STATE_BYTES + MAX_TOKEN_BYTES < 256 * 1024
    program = compile((ROOT / "examples/refund.yaml").read_bytes()).program
    assert program is not None
    for name, state in emit(program)["States"].items():
        if state["Type"] == "Task" and "spec" in state["Arguments"]["Payload"]:
            payload = {"token": "t" * MAX_TOKEN_BYTES, "spec": state["Arguments"]["Payload"]["spec"]}
            whole = len(json.dumps(state, ensure_ascii=False).encode()) + MAX_TOKEN_BYTES + 64
            assert len(json.dumps(payload, ensure_ascii=False).encode()) <= whole, name
