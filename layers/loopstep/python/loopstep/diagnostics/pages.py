"""What people read about each code: why the rule stands and what goes wrong without it, a wrong and a right example.

Loaded by `explain`, the renderers and the docs only; a compile without faults never pays for it. Examples are whole
documents: of a page's two, the wrong one yields the code and the right one no diagnostics at all (tests/diagnostics).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Page:
    """`why` in paragraphs, the first of them enough. The examples are "" where no single document can show the rule.

    `form` says what they are: "plan" (YAML) or "canvas" (JSON).
    """

    why: str
    wrong: str = ""
    right: str = ""
    form: str = "plan"


_HEAD: Final = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"

_REST: Final = """\
graph:
  entry: {nodeId: rest, port: in}
  nodes:
    - {id: rest, type: wait, wait: {duration: {value: PT1S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
"""

_FLOW: Final = (
    _REST
    + """\
    - {id: finish, source: {nodeId: rest, port: completed}, target: {nodeId: done, port: in}}
"""
)

_DELIVER: Final = (
    _REST
    + """\
    - id: finish
      source: {nodeId: rest, port: completed}
      target: {nodeId: done, port: in}
      bindings: {v: {ref: plan.input.v}}
"""
)

_LATE: Final = "    - {id: late, source: {nodeId: rest, port: completed}, target: {nodeId: done, port: in}}\n"

_CHOICE: Final = (
    _REST
    + """\
    - {id: early, source: {nodeId: rest, port: completed}, target: {nodeId: done, port: in}, when: '@0'}
"""
    + _LATE
)

_MESSAGE: Final = """\
graph:
  entry: {nodeId: greet, port: in, input: {}}
  nodes:
    - {id: greet, type: send_message, sendMessage: {scope: {ref: plan.input.room}, text: "@0"}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: finish, source: {nodeId: greet, port: completed}, target: {nodeId: done, port: in}, bindings: {}}
"""

_ASSIGN: Final = """\
graph:
  entry: {nodeId: keep, port: in}
  nodes:
    - {id: keep, type: set_variable, setVariable: {assignments: [@0]}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: finish, source: {nodeId: keep, port: completed}, target: {nodeId: done, port: in}}
"""

_BRANCHES: Final = """\
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [left, right]}}
    - {id: work_left, type: pass, pass: {}}
    - {id: work_right, type: pass, pass: {}}
    - {id: both, type: join, join: {fanOut: @0}}
    - {id: after, type: pass, pass: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
@2  edges:
    - {id: to_left, source: {nodeId: split, port: left}, target: {nodeId: work_left, port: in}}
    - {id: to_right, source: {nodeId: split, port: right}, target: {nodeId: work_right, port: in}}
    - {id: left_done, source: {nodeId: work_left, port: completed}, target: {nodeId: both, port: in}}
    - {id: right_done, source: {nodeId: work_right, port: completed}, target: {nodeId: @1, port: in}}
    - {id: go_on, source: {nodeId: both, port: completed}, target: {nodeId: after, port: in}}
    - {id: finish, source: {nodeId: after, port: completed}, target: {nodeId: done, port: in}}
"""

_PARALLEL_WRITES: Final = """\
graph:
  entry: {nodeId: split, port: in}
  nodes:
    - {id: split, type: fan_out, fanOut: {branches: [left, right]}}
    - {id: keep_left, type: set_variable, setVariable: {assignments: [{state: first, value: {value: 1}}]}}
    - {id: keep_right, type: set_variable, setVariable: {assignments: [{state: @0, value: {value: 2}}]}}
    - {id: both, type: join, join: {fanOut: split}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: to_left, source: {nodeId: split, port: left}, target: {nodeId: keep_left, port: in}}
    - {id: to_right, source: {nodeId: split, port: right}, target: {nodeId: keep_right, port: in}}
    - {id: left_done, source: {nodeId: keep_left, port: completed}, target: {nodeId: both, port: in}}
    - {id: right_done, source: {nodeId: keep_right, port: completed}, target: {nodeId: both, port: in}}
    - {id: finish, source: {nodeId: both, port: completed}, target: {nodeId: done, port: in}}
"""

_TWO_STEPS: Final = """\
graph:
  entry: {nodeId: rest, port: in}
  nodes:
    - {id: rest, type: wait, wait: {duration: {value: PT1S}}}
    - {id: nap, type: wait, wait: {duration: {value: PT5S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: @0, source: {nodeId: rest, port: completed}, target: {nodeId: @1, port: in}}
    - {id: finish, source: {nodeId: nap, port: completed}, target: {nodeId: done, port: in}}
"""

_CYCLE: Final = """\
input: {again: {type: boolean, required: true}}
graph:
  entry: {nodeId: rest, port: in}
  nodes:
    - {id: rest, type: wait, wait: {duration: {value: PT1S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: repeat, source: {nodeId: rest, port: completed}, target: {nodeId: rest, port: in}, when: plan.input.again}
    - {id: finish, source: {nodeId: rest, port: completed}, target: {nodeId: done, port: in}}
"""

_LOOP: Final = """\
graph:
  entry: {nodeId: again, port: in}
  nodes:
    - {id: again, type: loop, loop: {maxIterations: 3}}
    - {id: rest, type: wait, wait: {duration: {value: PT1S}}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: begin, source: {nodeId: again, port: body}, target: {nodeId: rest, port: in}}
    - {id: repeat, source: {nodeId: rest, port: completed}, target: {nodeId: again, port: next}}
    - {id: finish, source: {nodeId: again, port: completed}, target: {nodeId: done, port: in}}
"""

_DELIVERED: Final = "input: {v: {type: string, required: true}}\noutput: {v: {type: string, required: true}}\n"


def _page(why: str, document: str, wrong: tuple[str, ...], right: tuple[str, ...], head: str = _HEAD) -> Page:
    """A page whose examples are one document with @0, @1, … filled in differently."""
    return Page(why, head + _filled(document, wrong), head + _filled(document, right))


def _filled(document: str, parts: tuple[str, ...]) -> str:
    for number, part in enumerate(parts):
        document = document.replace(f"@{number}", part)
    return document


def _deliver(binding: str) -> str:
    return _DELIVER.replace("{ref: plan.input.v}", binding)


def _canvas(why: str, document: str, wrong: tuple[str, ...], right: tuple[str, ...]) -> Page:
    return Page(why, _filled(document, wrong), _filled(document, right), "canvas")


_TRIAGE: Final = """\
{
  "id": "triage",
  "name": "triage",
  "nodes": [
    {"id": "ask", "type": "userInput", "data": {"variables": [{"name": "question", "type": "string"}]}},
    {"id": "draft", "type": "llm", "data": {"userPrompt": "@0", "outputs": [{"name": "answer", "type": "string"}]}},
    {"id": "polish", "type": "llm",
     "data": {"userPrompt": "{{answer}}", "outputs": [{"name": "@1", "type": "string"}]}},
    {"id": "show", "type": "output", "data": {"fields": []}}
  ],
  "edges": [
    {"id": "e1", "source": "ask", "target": "draft"},
    {"id": "e2", "source": "draft", "target": "polish"},
    {"id": "e3", "source": "polish", "target": "@2"}
  ]
}
"""
_TRIAGE_RIGHT: Final = ("{{question}}", "better", "show")

PAGES: Final[dict[str, Page]] = {
    "document.syntax": Page(
        "A plan is data that every tool reads the same way: no anchors, tags, merge keys or tabs, one document a file. "
        "They mean different things to different YAML readers, and a reviewer would have to expand them by hand.",
        _HEAD + "input: &fields {v: {type: string, required: true}}\noutput: *fields\n" + _DELIVER,
        _HEAD + _DELIVERED + _DELIVER,
    ),
    "document.duplicate_key": _page(
        "YAML and JSON readers silently keep one of two equal names, and not all the same one, so half of what was "
        "written would have no effect.",
        "metadata: {name: nightly, @0: Nightly report}\n" + _FLOW,
        ("name",),
        ("title",),
    ),
    "document.unknown_field": _page(
        "A misspelt field would otherwise be ignored, and the plan would run without the timeout, retry or condition "
        "its author wrote.",
        _FLOW.replace("type: wait, ", "type: wait, @0: A short rest, "),
        ("titel",),
        ("title",),
    ),
    "document.missing_field": _page(
        "What the language requires has no sensible default: guessing it would hide a decision that belongs to the "
        "author.",
        _FLOW.replace("{outcome: succeeded}", "@0"),
        ("{}",),
        ("{outcome: succeeded}",),
    ),
    "document.invalid_value": _page(
        "Each field says which values it takes. A month, for instance, has no length, so a timeout of one cannot be "
        "kept.",
        "timeout: @0\n" + _FLOW,
        ("P1M",),
        ("P30D",),
    ),
    "document.version": _page(
        "The version says by which rules a document is read. Read by other rules it might mean something else.",
        "apiVersion: loop.plan/@0\nkind: PlanVersion\n" + _FLOW,
        ("v2",),
        ("v1",),
        "",
    ),
    "document.too_large": Page(
        "Documents are read whole, by the compiler and by people. 1 MiB of plan, or an expression of more than 4,096 "
        "characters, is data in the wrong place: pass it as input, or keep it in a file of the run."
    ),
    "schema.invalid": _page(
        "A Schema decides what may be bound to what. With a type nobody knows, or constraints that exclude each other, "
        "nothing could ever fit.",
        "state: {count: {type: @0}}\n" + _FLOW,
        ("int",),
        ("integer",),
    ),
    "schema.default_mismatch": _page(
        "A default stands wherever the value is left out, unchecked from then on, so it has to be a value of its own "
        "schema.",
        "state: {count: {type: integer, default: @0}}\n" + _FLOW,
        ("none",),
        ("0",),
    ),
    "reference.unknown_root": _page(
        "Values come from named contracts: input, output, state, plan, … A node id is no root, because whether that "
        "node ran, and which of its runs is meant, would be guesswork. Hand values on with edge bindings, or keep them "
        "in state.",
        _DELIVERED + _deliver("{ref: @0.v}"),
        ("rest",),
        ("plan.input",),
    ),
    "reference.unavailable": _page(
        "Each root has a value in certain places only: `output` on edges leaving a port that exposes it, `error` on "
        "edges leaving `failed`, `loop` inside a body, `item` on the edge leaving a fan_out. Elsewhere there is "
        "nothing to read.",
        _DELIVERED
        + _deliver("{ref: @0.v}").replace("type: wait, ", "type: wait, input: {v: {type: string, required: true}}, "),
        ("output",),
        ("input",),
    ),
    "reference.unknown_field": _page(
        "Only declared fields can be read, so that a misspelling is found here and not as an absent value at run time. "
        "Of an open object or an `any` nothing is declared; convert it or declare its properties.",
        "input: {customer: {type: string, required: true}}\noutput: {v: {type: string, required: true}}\n"
        + _deliver("{ref: plan.input.@0}"),
        ("custmer",),
        ("customer",),
    ),
    "reference.optional": _page(
        "An operator or function cannot do anything with a value that is not there. Ask for it first: "
        "`x != null && …` or `x == null || …`.",
        "input: {note: {type: string}}\n" + _CHOICE,
        ("length(plan.input.note) > 3",),
        ("plan.input.note != null && length(plan.input.note) > 3",),
    ),
    "expr.syntax": _page(
        "The grammar is small so that a condition means the same in the checker, in the functions and in the state "
        "machine: && || ! == != < <= > >= in + - * and four functions.",
        "input: {ready: {type: boolean, required: true}, safe: {type: boolean, required: true}}\n" + _CHOICE,
        ("plan.input.ready and plan.input.safe",),
        ("plan.input.ready && plan.input.safe",),
    ),
    "expr.type_mismatch": _page(
        "Comparing or adding values of different types has no result that everybody would expect, and engines differ "
        "in the one they give.",
        "input: {title: {type: string, required: true}}\n" + _CHOICE,
        ("plan.input.title > 3",),
        ("length(plan.input.title) > 3",),
    ),
    "expr.not_boolean": _page(
        "An edge is taken or not, a loop goes on or not. What a number or a text would mean there is left to nobody's "
        "taste.",
        "input: {title: {type: string, required: true}}\n" + _CHOICE,
        ("length(plan.input.title)",),
        ("length(plan.input.title) > 0",),
    ),
    "template.syntax": _page(
        "A {{ that is never closed would be sent to people as it stands. Write \\{{ where braces are meant.",
        "input: {room: {type: scope, required: true}, name: {type: string, required: true}}\n" + _MESSAGE,
        ("Hello {{ plan.input.name",),
        ("Hello {{ plan.input.name }}",),
    ),
    "template.optional_reference": _page(
        "Where the value is absent the text shows nothing in its place, which reads oddly and is easily overlooked.",
        "input: {room: {type: scope, required: true}, name: @1}\n" + _MESSAGE,
        ("Hello {{ plan.input.name }}", "{type: string}"),
        ("Hello {{ plan.input.name }}", "{type: string, default: friend}"),
    ),
    "value.exclusive": _page(
        "A value is written as {value: …}, {ref: …} or {expr: …}, so that a text is never mistaken for a reference nor "
        "a reference for a text.",
        _DELIVERED + _deliver("@0"),
        ("plan.input.v",),
        ("{ref: plan.input.v}",),
    ),
    "binding.required_target": _page(
        "A node begins only with an input that satisfies its contract, and a run succeeds only with its whole output. "
        "A required field that nobody binds would fail every run.",
        _DELIVERED + _DELIVER.replace("{v: {ref: plan.input.v}}", "@0"),
        ("{}",),
        ("{v: {ref: plan.input.v}}",),
    ),
    "binding.unknown_target": _page(
        "A field that the target does not declare could not be read there. Usually it is a misspelling of one that it "
        "does.",
        _DELIVERED + _DELIVER.replace("{v: {ref: plan.input.v}}", "{v: {ref: plan.input.v}@0}"),
        (", total: {value: 1}",),
        ("",),
    ),
    "binding.type_mismatch": _page(
        "Nothing changes its type by itself but integer to number, and anything to any: a silent conversion is where "
        "workflows begin to say something else than their authors meant. Convert explicitly.",
        "input: {n: {type: integer, required: true}}\noutput: {v: {type: string, required: true}}\n"
        + _deliver("{ref: plan.input.n@0}"),
        ("",),
        (", convert: {to: string}",),
    ),
    "binding.optional_source": _page(
        "The source may be absent when the target needs it, and then the run fails. Say with `default` what stands "
        "for it, declare it required, or make the target optional.",
        "input: {v: {type: string}}\noutput: {v: {type: string, required: true}}\n" + _deliver("{ref: plan.input.v@0}"),
        ("",),
        (", default: unknown",),
    ),
    "convert.unsupported": _page(
        "Conversions come from one registry that says for each pair of types what comes out and what can be lost. A "
        "pair or mode that is not in it has no agreed result.",
        "input: {n: {type: integer, required: true}}\noutput: {v: {type: string, required: true}}\n"
        + _deliver("{ref: plan.input.n, convert: {to: string@0}}"),
        (", mode: pretty",),
        ("",),
    ),
    "state.undeclared": _page(
        "State is a contract: each of its fields has a name and a type that readers rely on. An assignment elsewhere "
        "would be read by nobody.",
        "state: {count: {type: integer}}\n" + _ASSIGN,
        ("{state: cuont, value: {value: 1}}",),
        ("{state: count, value: {value: 1}}",),
    ),
    "state.duplicate_assignment": _page(
        "All assignments of one activation read the same old state and are written at once, so of two to one path only "
        "chance could decide.",
        "state: {count: {type: integer}, label: {type: string}}\n" + _ASSIGN,
        ("{state: count, value: {value: 1}}, {state: count, value: {value: 2}}",),
        ("{state: count, value: {value: 1}}, {state: label, value: {value: one}}",),
    ),
    "state.parallel_conflict": _page(
        "Which of two nodes that run at the same time comes first differs from run to run. Where one writes what the "
        "other reads or writes, the result would differ too. Write different fields, or bring values together in the "
        "join's merge.",
        "state: {first: {type: integer}, second: {type: integer}}\n" + _PARALLEL_WRITES,
        ("first",),
        ("second",),
    ),
    "state.needs_default": _page(
        "The contract of the state holds from a run's first moment, before any node could have written to it.",
        "state: {count: {type: integer, required: true@0}}\n" + _FLOW,
        ("",),
        (", default: 0",),
    ),
    "graph.unknown_node": _page(
        "An edge to a node that is not there leads nowhere; a run would stop in the middle.",
        _FLOW.replace("nodeId: done", "nodeId: @0"),
        ("don",),
        ("done",),
    ),
    "graph.unknown_port": _page(
        "A node leaves through the ports of its type only. An edge at another one would never be taken.",
        _FLOW.replace("port: completed", "port: @0"),
        ("success",),
        ("completed",),
    ),
    "graph.duplicate_id": _page(
        "Ids name nodes and edges in records, in the state machine and in diagnostics. Two of one name could not be "
        "told apart.",
        _TWO_STEPS,
        ("finish", "nap"),
        ("begin", "nap"),
    ),
    "graph.unwired_port": _page(
        "A run that leaves through a port without an edge has nowhere to go. Only `failed` (which then fails the run) "
        "and `otherwise` may be left open.",
        "input: {go: {type: boolean, required: true}}\n"
        + _LOOP.replace("maxIterations: 3", "maxIterations: 3, while: plan.input.go")
        + "@0",
        ("",),
        ("    - {id: give_up, source: {nodeId: again, port: exhausted}, target: {nodeId: done, port: in}}\n",),
    ),
    "graph.unreachable": _page(
        "A node that no path from the entry leads to never runs. It is checked, but left out of the state machine.",
        _TWO_STEPS,
        ("begin", "done"),
        ("begin", "nap"),
    ),
    "graph.cycle_without_loop": Page(
        "A cycle of edges has no end that anybody could see, and every round costs. A loop node counts its rounds and "
        "has a greatest number of them.",
        _HEAD + _CYCLE,
        _HEAD + _LOOP,
    ),
    "graph.join_unpaired": _page(
        "A join waits for the parts of one fan_out, which it names. Without it there is nothing to wait for, and two "
        "joins for one fan_out would each get some of the parts.",
        _BRANCHES,
        ("spilt", "both", ""),
        ("split", "both", ""),
    ),
    "graph.region_escape": _page(
        "The parts between a fan_out and its join run in parallel, and a loop's body once a round. An edge that leaves "
        "one from the side would take along only part of the run.",
        _BRANCHES,
        ("split", "after", ""),
        ("split", "both", ""),
    ),
    "graph.end_in_region": _page(
        "A run succeeds once, when everything is done. Inside a parallel part or a loop's body others may still be "
        "running. Lead the part to the join, or end it as failed.",
        _BRANCHES,
        ("split", "stop", "    - {id: stop, type: end, end: {outcome: succeeded}}\n"),
        ("split", "both", ""),
    ),
    "edge.ambiguous": _page(
        "Edges of one port are tried in document order; the one without a condition is taken where no condition holds, "
        "wherever it stands. Of two such edges one would never be taken.",
        "input: {ready: {type: boolean, required: true}}\n"
        + _TWO_STEPS.replace("target: {nodeId: @1, port: in}}", "target: {nodeId: done, port: in}@1}")
        + "    - {id: slow, source: {nodeId: rest, port: completed}, target: {nodeId: nap, port: in}}\n",
        ("begin", ""),
        ("begin", ", when: plan.input.ready"),
    ),
    "edge.no_default": _page(
        "When none of the conditions is true the run fails with edge.none_matched; on a port `failed` the failure goes "
        "on as if nothing were wired there, and keeps its code. One edge without a condition says what happens "
        "otherwise.",
        "input: {ready: {type: boolean, required: true}}\n" + _CHOICE.removesuffix(_LATE) + "@1",
        ("plan.input.ready", ""),
        ("plan.input.ready", _LATE),
    ),
    "output.missing": _page(
        "The plan promises output that its callers rely on, but no path leads to an end that delivers it: every run "
        "would fail.",
        _DELIVERED
        + _DELIVER.replace("type: end, ", "type: end, input: {v: {type: string, required: true}}, ").replace(
            "{outcome: succeeded}", "@0"
        ),
        ("{outcome: failed, code: gave_up}",),
        ("{outcome: succeeded}",),
    ),
    "registry.unknown": Page(
        "Agents, skills and sources live in the stack, not in the plan. A name that is not registered there fails "
        "every run at that node: register it first (`loopstep agents put`, `skills put`, `sources put`). The API's "
        "check and publishing look names up, and a source has to be of the kind that its node asks; the version found "
        "is pinned. `loopstep check` reads the plan alone: it cannot know what a stack has and warns of each name."
    ),
    "canvas.variable_shadowed": _canvas(
        "Two nodes write one variable of the canvas; what the first wrote is gone for everything behind the second. "
        "That may be meant, but a name of its own says so.",
        _TRIAGE,
        ("{{question}}", "answer", "show"),
        _TRIAGE_RIGHT,
    ),
    "canvas.unknown_variable": _canvas(
        "No node before this one writes the variable, so a placeholder stays in the text as it is, and a declared "
        "input stays empty.",
        _TRIAGE,
        ("{{qestion}}", "better", "show"),
        _TRIAGE_RIGHT,
    ),
    "canvas.invalid_name": _canvas(
        "A variable of the canvas becomes a field of the plan's state: letters of any script, digits and _, not "
        "beginning with a digit.",
        _TRIAGE,
        ("{{question}}", "better answer", "show"),
        _TRIAGE_RIGHT,
    ),
    "canvas.cycle": _canvas(
        "A canvas says what follows what. In a cycle nothing comes first, and there is no loop node that would count "
        "the rounds.",
        _TRIAGE,
        ("{{question}}", "better", "draft"),
        _TRIAGE_RIGHT,
    ),
    "canvas.no_start": _canvas(
        "A run begins at the nodes that no edge leads to. Without one there is nowhere to begin.",
        '{"id": "empty", "name": "empty", "nodes": [@0], "edges": []}\n',
        ("",),
        ('{"id": "show", "type": "output", "data": {"fields": []}}',),
    ),
    "canvas.unknown_node": _canvas(
        "The edge or mapping names a node that is not on the canvas, usually one that was deleted.",
        _TRIAGE,
        ("{{question}}", "better", "gone"),
        _TRIAGE_RIGHT,
    ),
    "limit.definition_size": Page(
        "AWS Step Functions takes definitions of at most 1 MiB. Long literals and texts make them grow: pass them as "
        "input, or split the plan."
    ),
    "limit.state_size": Page(
        "What a state hands to its function travels with every event, and AWS bounds an event at 256 KiB. The fixed "
        "part of one state may take half of it; pass long literals and texts as input. What it hands on to the next "
        "state, the "
        "operands of its edges' conditions among it, has 4 KiB."
    ),
    "limit.nodes": Page(
        "With more than 1,000 nodes or 5,000 edges nobody oversees a plan, and the state machine would not fit. Split "
        "it, or let a loop or fan_out repeat what repeats."
    ),
    "limit.depth": _page(
        "Nesting is bounded at 64 levels, in documents and in expressions, so that reading one never exhausts a stack.",
        "input: {ready: {type: boolean, required: true}}\n" + _CHOICE,
        ("(" * 65 + "plan.input.ready" + ")" * 65,),
        ("(plan.input.ready)",),
    ),
    "limit.history": Page(
        "AWS ends an execution after 25,000 history events. The compiler counts the longest way through the plan, a "
        "loop "
        "as often as it may run: from 20,000 events it warns, from 25,000 the plan has an error. A fan_out over items "
        "is "
        "put into a Distributed Map where its items would not fit, since those have histories of their own. What is "
        "left "
        "are loops: let them run fewer rounds, or move what they repeat into a fan_out over items."
    ),
}
