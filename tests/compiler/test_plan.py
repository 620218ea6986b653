"""Programs: specs with every binding explicit, exits in order, regions and counters resolved."""

# ruff: noqa: E501
# Plans stand here as people write them: one node, one edge a line.

from __future__ import annotations

from collections.abc import Callable

from loopstep.compiler.compile import compile
from loopstep.compiler.program import Enclosing, FanOut, Program, Retry

Document = Callable[..., str]


def _program(text: str) -> Program:
    compiled = compile(text)
    assert compiled.program is not None, compiled.diagnostics
    return compiled.program


LINEAR = """
input: {v: {type: string, required: true, description: what}, note: {type: string}, s: {type: scope, required: true}}
output: {v: {type: string, required: true}}
state: {x: {type: object, properties: {y: {type: string}}}, z: {type: string}}
graph:
  entry: {nodeId: keep, port: in}
  nodes:
    - id: keep
      type: set_variable
      input: {v: {type: string, required: true}, more: {type: string}}
      preconditions: [more]
      setVariable:
        assignments:
          - {state: x.y, value: {ref: plan.input.note, convert: {to: string}, default: none}}
          - {state: z, value: {value: "{{ v }}"}}
    - id: say
      type: send_message
      timeout: PT20S
      retry: {maxAttempts: 3, backoff: PT2S, factor: 1.5, maxBackoff: PT10S}
      sendMessage: {scope: {ref: plan.input.s}, text: "a {{ state.z }}", completion: callback, timeout: PT1H}
      output: {ok: {type: boolean, required: true}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, input: {why: {type: string}}, end: {outcome: failed, code: stopped}}
    - {id: lonely, type: end, end: {outcome: failed, code: lonely}}
  edges:
    - {id: rest, source: {nodeId: keep, port: completed}, target: {nodeId: say, port: in}}
    - {id: empty, source: {nodeId: keep, port: completed}, target: {nodeId: stop, port: in}, when: length(input.v) == 0}
    - {id: kept, source: {nodeId: say, port: completed}, target: {nodeId: done, port: in}, bindings: {v: {value: [1, 2], }}}
    - {id: late, source: {nodeId: say, port: timed_out}, target: {nodeId: stop, port: in}}
    - {id: bad, source: {nodeId: say, port: failed}, target: {nodeId: stop, port: in}, bindings: {why: {ref: error.code}}}
""".replace("{value: [1, 2], }", "{ref: state.z}")


def test_specs_of_a_linear_plan(document: Document) -> None:
    program = _program(document("timeout: PT1H", LINEAR))
    assert (program.entry, program.timeout, list(program.steps)) == ("keep", 3600, ["keep", "say", "done", "stop"])
    assert program.steps["keep"].spec == {
        "id": "keep",
        "input": {"v": "string!", "more": "string"},
        "pre": ["more"],
        "in": {"": {"v": ["ref", "plan", "input", "v"]}},
        "set": [
            [
                ["x", "y"],
                ["default", ["convert", ["ref", "plan", "input", "note"], {"to": "string", "kind": "value"}], "none"],
            ],
            [["z"], "{{ v }}"],
        ],
        "state": {"x": {"type": "object", "properties": {"y": {"type": "string"}}}, "z": "string"},
    }
    assert program.steps["say"].spec == {
        "id": "say",
        "in": {"rest": {}},
        "max": 3,
        "wait": 3600,
        "timeout": 20,
        "scope": ["ref", "plan", "input", "s"],
        "text": ["a ", {"e": ["ref", "state", "z"]}],
        "completion": "callback",
        "output": {"ok": "boolean!"},
    }
    assert program.steps["done"].spec == {
        "id": "done",
        "input": {"v": "string!"},
        "in": {"kept": {"v": ["ref", "state", "z"]}},
    }
    assert program.steps["stop"].spec == {
        "id": "stop",
        "input": {"why": "string"},
        "in": {"bad": {"why": ["ref", "error", "code"]}},
        "outcome": "failed",
        "code": "stopped",
    }


def test_steps_of_a_linear_plan(document: Document) -> None:
    steps = _program(document(LINEAR)).steps
    keep, say = steps["keep"], steps["say"]
    assert [(exit_.edge, exit_.target) for exit_ in keep.exits["completed"]] == [("empty", "stop"), ("rest", "say")]
    condition = keep.exits["completed"][0].condition
    assert condition is not None and condition.operands == (["call", "length", ["ref", "input", "v"]],)
    assert keep.exits["completed"][1].condition is None
    assert list(say.exits) == ["completed", "timed_out", "failed"]
    assert (say.retry, say.timeout, say.wait, say.line) == (Retry(3, 2, 1.5, 10), 20, 3600, 17)
    assert (keep.retry, keep.timeout, keep.wait) == (None, None, None)
    assert steps["stop"].fail_code == "stopped" and steps["done"].fail_code is None


NESTED = """
input: {n: {type: integer, required: true}}
output: {r: {type: array, required: true}}
graph:
  entry: {nodeId: outer, port: in}
  nodes:
    - {id: outer, type: loop, loop: {maxIterations: 5}}
    - {id: each, type: fan_out, fanOut: {items: {expr: "[loop.index, loop.iteration]"}, maxItems: 20}}
    - {id: inner, type: loop, input: {i: {type: integer}}, loop: {maxIterations: 7, while: loop.index < loop.parent.maxIterations}}
    - {id: work, type: pass, input: {a: {type: integer}, b: {type: integer}, c: {type: integer}}, pass: {}}
    - {id: merge, type: join, input: {i: {type: integer}}, output: {o: {type: integer}}, join: {fanOut: each, mode: count, count: 1, merge: {o: {ref: loop.index}}}}
    - {id: done, type: end, end: {outcome: succeeded}}
    - {id: stop, type: end, end: {outcome: failed, code: stopped}}
  edges:
    - {id: a, source: {nodeId: outer, port: body}, target: {nodeId: each, port: in}}
    - {id: b, source: {nodeId: each, port: item}, target: {nodeId: inner, port: in}, when: loop.index > 1, bindings: {i: {ref: item}}}
    - {id: b2, source: {nodeId: each, port: item}, target: {nodeId: stop, port: in}}
    - {id: c, source: {nodeId: inner, port: body}, target: {nodeId: work, port: in}, bindings: {a: {ref: loop.index}, b: {ref: loop.parent.iteration}, c: {ref: loop.maxIterations}}}
    - {id: d, source: {nodeId: work, port: completed}, target: {nodeId: inner, port: next}, bindings: {i: {ref: loop.iteration}}}
    - {id: e, source: {nodeId: inner, port: completed}, target: {nodeId: merge, port: in}, bindings: {i: {ref: loop.index}}}
    - {id: f, source: {nodeId: inner, port: exhausted}, target: {nodeId: merge, port: in}}
    - {id: g, source: {nodeId: merge, port: completed}, target: {nodeId: outer, port: next}}
    - {id: h, source: {nodeId: outer, port: completed}, target: {nodeId: done, port: in}, bindings: {r: {value: []}}}
"""


def test_counters_are_positions_of_the_path(document: Document) -> None:
    steps = _program(document(NESTED)).steps
    assert steps["each"].spec["items"] == ["list", ["path", 0, 0], ["path", 0, 1]]
    condition = steps["each"].exits["item"][0].condition
    assert condition is not None and condition.operands == (["path", 0, 0],)
    assert steps["inner"].spec["loop"] == {"max": 7, "while": ["<", ["path", 2, 0], 5]}
    assert (steps["outer"].spec["depth"], steps["inner"].spec["depth"]) == (0, 2)
    assert (steps["outer"].spec["next"], steps["inner"].spec["next"]) == (["g"], ["d"])
    assert steps["inner"].spec["in"] == {"b": {"i": ["ref", "item"]}, "d": {"i": ["path", 2, 1]}}
    assert steps["work"].spec["in"] == {"c": {"a": ["path", 2, 0], "b": ["path", 0, 1], "c": 7}}
    assert steps["merge"].spec["in"] == {"e": {"i": ["path", 0, 0]}, "f": {"i": ["ref", "input", "i"]}}
    assert steps["merge"].spec["join"]["merge"] == {"o": ["path", 0, 0]}
    assert steps["outer"].spec["in"] == {"": {}}


def test_regions_of_a_program(document: Document) -> None:
    program = _program(document(NESTED))
    outer, item = Enclosing("loop", "outer", "body"), Enclosing("items", "each", "item")
    inner = Enclosing("loop", "inner", "body")
    assert {name: step.enclosing for name, step in program.steps.items()} == {
        "outer": (),
        "each": (outer,),
        "inner": (outer, item),
        "work": (outer, item, inner),
        "merge": (outer,),
        "done": (),
        "stop": (outer, item),
    }
    assert program.fan_outs == {"each": FanOut("each", "merge", "items", ("item",), "count", 1, 20, 10, False)}
    assert program.steps["outer"].counts and not program.steps["work"].counts


def test_an_end_with_its_own_input_carries_the_output_contract(document: Document) -> None:
    plan = """
output: {v: {type: string, required: true}}
graph:
  entry: {nodeId: done, port: in, input: {v: {value: x}}}
  nodes:
    - {id: done, type: end, input: {v: {type: string, required: true, minLength: 1}}, end: {outcome: succeeded}}
  edges: []
"""
    assert _program(document(plan)).steps["done"].spec == {
        "id": "done",
        "input": {"v": {"type": "string", "required": True, "minLength": 1}},
        "in": {"": {"v": "x"}},
        "output": {"v": "string!"},
    }


def test_kinds_of_conversions_are_named(document: Document) -> None:
    plan = """
output: {v: {type: string, required: true}, e: {type: array}}
graph:
  entry: {nodeId: ask, port: in}
  nodes:
    - {id: ask, type: knowledge_retrieval, knowledgeRetrieval: {query: hi, source: DOCUMENT}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - id: found
      source: {nodeId: ask, port: completed}
      target: {nodeId: done, port: in}
      bindings:
        v: {ref: output.evidences, convert: {to: string, mode: concat}}
        e: {ref: output.evidences, convert: {to: array, topK: 2}}
"""
    evidences = ["ref", "output", "evidences"]
    assert _program(document(plan)).steps["done"].spec["in"] == {
        "found": {
            "v": ["convert", evidences, {"to": "string", "kind": "evidences", "mode": "concat"}],
            "e": ["convert", evidences, {"to": "array", "kind": "evidences", "topK": 2}],
        }
    }


def test_equal_documents_make_equal_programs(document: Document) -> None:
    assert _program(document(NESTED)) == _program(document(NESTED))
