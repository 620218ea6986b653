"""Machines that mean the same on every engine: the patterns that the compiler emits, and the rules they rest on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.strict.machines import Machine, ask, branch, call, catch, fail, machine, parallel, put, retry, state


@dataclass(frozen=True, slots=True)
class Case:
    """A definition, its input, and why moto is known to answer otherwise ("" where it must not)."""

    definition: Machine
    data: Any = field(default_factory=dict)
    moto: str = ""


INPUT = "{% $states.input %}"
FAILED = {"run": "{% $states.input.run %}", "port": "failed", "error": "{% $states.errorOutput.Error %}"}
PATH = "{% $append($states.input.path, [$states.context.Map.Item.Value]) %}"
DATA = {"QueryLanguage": "JSONata"}


def token(edge: str) -> Machine:
    """What a function returns: the next token."""
    return {
        "value": {"run": "{% $states.input.run %}", "path": "{% $states.input.path %}", "edge": edge},
        "do": "value",
    }


def task(payload: Machine, following: str | None = None, **fields: Any) -> Machine:
    return call(payload, following, **DATA, **fields)


def mapped(processor: Machine, following: str | None = None, **fields: Any) -> Machine:
    return state("Map", following, ItemProcessor={"ProcessorConfig": {"Mode": "INLINE"}, **processor}, **fields)


def choice(*rules: tuple[str, str], default: str, **fields: Any) -> Machine:
    listed = [{"Condition": f"{{% {condition} %}}", "Next": following} for condition, following in rules]
    return {"Type": "Choice", "Choices": listed, "Default": default, **DATA, **fields}


BROKEN = {"do": "fail", "error": "Flaky"}
START = {"run": "r1", "path": []}
BRANCHES = [branch("L", L=task(token("left"))), branch("R", R=task(token("right")))]
MERGED = "{% $merge([$states.input, {'arrivals': [$states.result.edge]}]) %}"


def linear(payload: Machine) -> Machine:
    """One Task, its failure caught into a failed end."""
    first = task(payload, "B", Catch=catch("F", Output=FAILED))
    return machine(
        "A", "JSONPath", A=first, B=put(INPUT, **DATA), F=put(INPUT, "X", **DATA), X={**fail("Ended"), **DATA}
    )


def when(seen: Machine) -> Case:
    """Conditions over operands, null guarded."""
    high = ("$states.input.seen.a >= 10 and $states.input.seen.b = 'high'", "H")
    vip = ("$states.input.seen.c != null and $substring($states.input.seen.c, 0, 3) = 'vip'", "V")
    ends = {"H": put("high"), "V": put("vip"), "D": put("default")}
    return Case(machine("C", C=choice(high, vip, default="D"), **ends), {"seen": seen})


def settled(payload: Machine, **fields: Any) -> Machine:
    """A Task that is answered through its token, with the retriers of a node."""
    retries = [
        {"ErrorEquals": ["Loopstep.Decided", "Loopstep.TimedOut"], "MaxAttempts": 0},
        *retry("States.Timeout", "States.TaskFailed", MaxAttempts=1, BackoffRate=2.0),
    ]
    late = catch("L", "Loopstep.TimedOut", Output={"port": "timed_out", "error": "{% $states.errorOutput.Error %}"})
    caught = [*late, *catch("F", Output={"port": "failed", "error": "{% $states.errorOutput.Error %}"})]
    waits = ask(payload, "P", Retry=retries, Catch=caught, **{"TimeoutSeconds": 30, **fields})
    ends = {"P": put({"answered": INPUT}), "L": put({"late": INPUT}), "F": put({"failed": INPUT})}
    return machine("A", A=waits, **ends)


def loop(limit: int) -> Machine:
    """A body that comes back to its loop."""
    again = choice((f"$states.input.i < {limit}", "B"), default="D")
    step = task({"do": "value", "value": {"i": "{% $states.input.i + 1 %}"}}, "L")
    return machine("L", "JSONPath", L=again, B=step, D=put({"left": INPUT}, **DATA))


def joined(*branches: Machine) -> Machine:
    """A JSONPath region that keeps the token, and a join that is reached either way."""
    region = parallel(*branches, following="J", ResultPath="$.arrivals", Catch=catch("J", ResultPath="$.error"))
    outcome = {"arrivals": "{% $exists($states.input.arrivals) ? $states.input.arrivals.edge : [] %}"}
    outcome["error"] = "{% $exists($states.input.error) ? $states.input.error.Error : null %}"
    return machine("P", "JSONPath", P=region, J=put(outcome, **DATA))


def items(count: int, payload: Machine, **fields: Any) -> Case:
    """An inline Map over indexes."""
    select = {"run": "{% $states.input.run %}", "path": PATH, "edge": "item"}
    given = {"Items": "{% [0..($states.input.n - 1)] %}", "MaxConcurrency": 4, "ItemSelector": select, **fields}
    caught = catch("J", Output={"error": "{% $states.errorOutput.Error %}"})
    region = mapped(branch("W", W=task(payload)), "J", **DATA, Output=MERGED, Catch=caught, **given)
    return Case(machine("M", "JSONPath", M=region, J=put(INPUT, **DATA)), {**START, "n": count})


def by_name() -> Machine:
    """Branches as a Map over their names."""
    split = choice(("$states.input.edge = 'l'", "L"), ("$states.input.edge = 'm'", "N"), default="R")
    inner = branch("S", S=split, **{name: task(token(name)) for name in ("L", "N", "R")})
    select = {"run": "{% $states.input.run %}", "path": [], "edge": "{% $states.context.Map.Item.Value %}"}
    region = mapped(inner, "J", **DATA, Items=["l", "m", "r"], ItemSelector=select, Output=MERGED)
    return machine("M", "JSONPath", M=region, J=put(INPUT, **DATA))


def first_of(payloads: list[Machine]) -> Machine:
    """Any: the branch that arrives decides by a Fail, a loss is idle; the join reads neither."""

    def one(number: int, payload: Machine) -> Machine:
        def named(text: str) -> str:
            return f"{text}{number}"

        states = {
            named("W"): task(payload, named("D"), Catch=catch(named("I"), Output="lost")),
            named("D"): {**fail("Loopstep.Decided"), **DATA},
            named("I"): put("idle", **DATA),
        }
        return branch(named("W"), **states)

    branches = [one(number, payload) for number, payload in enumerate(payloads)]
    region = parallel(*branches, following="N", ResultPath=None, Catch=catch("J", ResultPath="$.error"))
    won = put({"won": "{% $states.input.error.Error %}"}, **DATA)
    return machine("P", "JSONPath", P=region, J=won, N=put("no winner", **DATA))


def distributed(count: int) -> Case:
    """JSONPath outside; JSONata in the items; a Choice would skip none."""
    processor = {**branch("I", I=put({"n": "{% $states.input.item * 2 %}"}, **DATA))}
    processor["ProcessorConfig"] = {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    select = {"run.$": "$.run", "item.$": "$$.Map.Item.Value"}
    region = state("Map", "J", Label="each", ItemsPath="$.xs", ItemSelector=select, ItemProcessor=processor)
    region |= {"ResultPath": "$.all", "MaxConcurrency": 4, "ToleratedFailureCount": 0}
    return Case(machine("M", "JSONPath", M=region, J=put(INPUT, **DATA)), {"run": "r", "xs": list(range(count))})


def tried(good: int, *retries: Machine, **fields: Any) -> Machine:
    """A function that works at attempt `good`."""
    payload = {"do": "flaky", "good": good, "tried": "{% $states.context.State.RetryCount %}"}
    return machine("A", A=call(payload, Retry=list(retries), **fields), **({"C": put(INPUT)} if fields else {}))


NESTED = mapped(branch("X", X=put("{% $states.input * 10 %}")), Items=[1, 2])
IN_PARALLEL = parallel(branch("N", N=NESTED), branch("Y", Y=put("y")))
ERROR = {"Output": "{% $states.errorOutput.Error %}"}
SPLIT = choice(("$states.input = 1", "F"), default="W")

CASES: dict[str, Case] = {
    "linear": Case(linear(token("next")), START),
    "linear, failed by class": Case(linear({"do": "fail", "error": "Loopstep.Decided"}), START),
    "when, first": when({"a": 10, "b": "high", "c": None}),
    "when, second": when({"a": 9, "b": "high", "c": "vip-1"}),
    "when, default": when({"a": 9, "b": "low", "c": None}),
    "answered through the token": Case(settled({"do": "answer", "output": {"edge": "e"}})),
    "timed out through the token": Case(settled({"do": "answer", "error": "Loopstep.TimedOut"})),
    "decided through the token": Case(settled({"do": "answer", "error": "Loopstep.Decided"})),
    "failed through the token, tried twice": Case(settled({"do": "answer", "error": "Other"})),
    "raised with a token": Case(settled(BROKEN)),
    "never answered": Case(settled({}, TimeoutSeconds=1)),
    "loop": Case(loop(3), {"i": 0}),
    "loop, not once": Case(loop(0), {"i": 0}),
    "branches, all": Case(joined(*BRANCHES), START),
    "branches, one fails": Case(joined(BRANCHES[0], branch("R", R=task(BROKEN))), START),
    "items, none": items(0, token("i")),
    "items, one": items(1, token("i")),
    "items, many": items(5, token("i")),
    "items, all fail": items(3, BROKEN),
    "items, one at a time": items(3, BROKEN, MaxConcurrency=1),
    "branches as a map": Case(by_name(), START),
    "any, one wins": Case(first_of([token("a"), BROKEN]), START),
    "any, none wins": Case(first_of([BROKEN, BROKEN]), START),
    "distributed": distributed(9),
    "distributed, none": distributed(0),
    "retry by class": Case(tried(2, *retry("Flaky", MaxAttempts=2))),
    "retry, used up": Case(tried(3, *retry("Flaky", MaxAttempts=2))),
    "retry, another class": Case(tried(1, *retry("ValueError", MaxAttempts=2))),
    "retry, first match decides": Case(
        tried(2, *retry("Flaky", MaxAttempts=1), *retry("States.ALL", MaxAttempts=9), Catch=catch("C", **ERROR))
    ),
    "retry, capped delays": Case(
        tried(3, *retry("States.TaskFailed", MaxAttempts=3, MaxDelaySeconds=2, JitterStrategy="FULL"))
    ),
    "catch, in order": Case(
        machine(
            "A",
            A=call(BROKEN, Catch=[*catch("B", "ValueError"), *catch("C", "States.TaskFailed", **ERROR)]),
            B=put("b"),
            C=put(INPUT),
        )
    ),
    "catch, whole error": Case(machine("A", A=call(BROKEN, Catch=catch("B")), B=put("{% $keys($states.input) %}"))),
    "timeout of a task": Case(
        machine("A", A=call({"do": "slow", "seconds": 3}, TimeoutSeconds=1, Catch=catch("B", **ERROR)), B=put(INPUT))
    ),
    "timeout by expression": Case(
        machine("A", A=call({"do": "slow", "seconds": 3}, TimeoutSeconds="{% $states.input.t %}")), {"t": 1}
    ),
    "timeout of the machine": Case(
        {**machine("A", A=call({"do": "slow", "seconds": 3}, "B"), B=put(1)), "TimeoutSeconds": 1}
    ),
    "waits": Case(
        machine("A", A=state("Wait", "B", Seconds="{% 1 + 2 %}"), B=state("Wait", "C", Seconds=3600), C=put(INPUT)), [1]
    ),
    "wait for a time by path": Case(
        machine("A", "JSONPath", A=state("Wait", "B", TimestampPath="$.until"), B=state("Pass")),
        {"until": "2020-01-01T00:00:00.000Z"},
    ),
    "fail fast, waits are left": Case(
        machine(
            "P",
            P=parallel(branch("W", W=put(1)), branch("F", F=fail("Lost")), Catch=catch("C", "Lost", **ERROR)),
            C=put(INPUT),
        )
    ),
    "map, one fails": Case(
        machine(
            "M",
            M=mapped(branch("S", S=SPLIT, F=fail("Lost"), W=put(1)), Items=[0, 1, 2], Catch=catch("C", **ERROR)),
            C=put(INPUT),
        )
    ),
    "map in a parallel in a map": Case(machine("M", M=mapped(branch("P", P=IN_PARALLEL), Items="{% [1..3] %}"))),
    "item knows its index": Case(
        machine("M", M=mapped(branch("A", A=put("{% $states.context.Map.Item.Index %}")), Items=["a", "b"]))
    ),
    "item without selector": Case(
        machine(
            "M", "JSONPath", M=mapped(branch("A", A=state("Pass", Result="r", ResultPath="$.r")), ItemsPath="$.xs")
        ),
        {"xs": [{"a": 1}, {"b": 2}]},
    ),
    "assign at once": Case(
        machine(
            "A",
            A=put(0, "B", Assign={"a": 1, "b": 2}),
            B=put(0, "C", Assign={"a": "{% $b %}", "b": "{% $a %}"}),
            C=put(["{% $a %}", "{% $b %}"]),
        )
    ),
    "succeed with an output": Case(machine("A", A={"Type": "Succeed", "Output": {"n": "{% $states.input + 1 %}"}}), 1),
    "parallel with arguments, output, assign": Case(
        machine(
            "P",
            P=parallel(
                branch("A", A=put("{% $states.input.n * 2 %}")),
                branch("B", B=put("{% $states.input.n * 3 %}")),
                following="C",
                Arguments={"n": "{% $states.input %}"},
                Output={"all": "{% $states.result %}"},
                Assign={"first": "{% $states.result[0] %}"},
            ),
            C=put({"in": INPUT, "first": "{% $first %}"}),
        ),
        4,
    ),
    "choice with outputs": Case(
        machine(
            "C",
            C=choice(("$states.input = 1", "E"), default="E", Output="default", Assign={"v": "d"}),
            E=put([INPUT, "{% $v %}"]),
        ),
        2,
    ),
    "no rule matches": Case(
        machine("C", C={"Type": "Choice", "Choices": [{"Condition": "{% false %}", "Next": "E"}]}, E=put(1)),
        moto="a Choice without a match fails with States.Runtime there; AWS: States.NoChoiceMatched",
    ),
    "condition is no boolean": Case(
        machine("C", C=choice(("'yes'", "E"), default="E"), E=put(1)),
        moto="a Condition of another type fails with States.Runtime there; AWS: States.QueryEvaluationError",
    ),
    "nothing found": Case(machine("A", A=put("{% $states.input.missing %}"))),
    "arguments cannot be evaluated": Case(
        machine(
            "A", A=call({"x": "{% $states.input.no %}"}, Catch=catch("B", "States.QueryEvaluationError")), B=put("b")
        )
    ),
    "fail by expression": Case(
        machine("A", A={"Type": "Fail", "Error": "{% 'E.' & $states.input %}", "Cause": "{% 'why' %}"}), "x"
    ),
    "reply too large": Case(machine("A", A=call({"do": "large", "size": 262_144}, Output="small"))),
    "texts": Case(
        machine("A", A=put({"t": INPUT, "lit": "{% '{% no %}' %}"})), ["é😀", '\u0000\u001f"\\', "{% 1 %}", ""]
    ),
    "null, empty, one": Case(
        machine("A", A=put({"n": "{% null %}", "e": "{% [] %}", "o": "{% [$states.input.a] %}", "x": "{% {} %}"})),
        {"a": 1},
    ),
    "numbers": Case(machine("A", A=put(["{% 1.5 * 2 %}", "{% 10 / 4 %}", "{% -0.1 %}", "{% 9007199254740991 %}"]))),
    "large execution input": Case(machine("A", A=put("{% $length($states.input) %}")), "x" * 262_142),
}
