"""The runs: for every plan an input by the seed, and what must come of it."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PLANS = Path(__file__).with_name("plans")
LONG = (40_000, 300_000)  # characters: over an item's share, over an engine's payload
SOURCE, DOCUMENTS = "chaos_papers", 150  # enough that the first retrieval keeps a copy of its index
SLEEPER = "PT150S"  # the sweeper asks the engine about runs that are older than two minutes

Range = tuple[int, int]  # fewest and most


@dataclass(frozen=True, slots=True)
class Case:
    """One run to start. `output` judges what came out, `nodes` says how many activations each node has.

    `sends` counts messages by text. `act` is what somebody does meanwhile: cancel, approve, reject, answer, or
    mend: answer with an error that fails the run, redrive it and answer well.
    """

    plan: str
    input: Mapping[str, Any] = field(default_factory=dict)
    status: str = "succeeded"
    code: str | None = None
    output: Callable[[Any], bool] = lambda output: True
    nodes: Mapping[str, Range] = field(default_factory=dict)
    sends: Mapping[str, int] = field(default_factory=dict)
    act: str | None = None


def once(*names: str) -> dict[str, Range]:
    """Nodes with exactly one activation."""
    return dict.fromkeys(names, (1, 1))


def order(chosen: random.Random, team: str) -> Case:
    amount = chosen.choice([3, 100])
    text = "é" * chosen.choice(LONG) if chosen.random() < 0.5 else "short"
    total = amount if amount >= 100 else amount * 2
    return Case(
        "order",
        {"text": text, "amount": amount, "team": team},
        output=lambda output: output == {"note": text, "total": total},
        nodes=once("remember", "count", "done", "say" if amount >= 100 else "double"),
        sends={"large 100": 1} if amount >= 100 else {},
    )


def rounds(chosen: random.Random, team: str) -> Case:
    count = chosen.randint(1, 4)
    return Case(
        "rounds",
        {"rounds": count, "team": team},
        output=lambda output: output == {"total": count * (count + 1) // 2},
        nodes={**once("done"), "rounds": (count + 1, count + 1), "add": (count, count), "say": (count, count)},
        sends={f"round {n}": 1 for n in range(1, count + 1)},
    )


def each(chosen: random.Random, team: str) -> Case:
    names = [f"{n}-{chosen.randint(0, 99)}" for n in range(chosen.randint(0, 6))]
    return Case(
        "each",
        {"names": names, "team": team},
        output=lambda output: output == {"names": names},
        nodes={**once("spread", "gather", "done"), "say": (len(names), len(names))},
        sends=dict(Counter(f"item {name}" for name in names)),
    )


def many(chosen: random.Random, team: str) -> Case:
    lengths = [chosen.randint(1, 9_000) for _ in range(chosen.randint(4, 10))]  # mostly more than an item holds
    return Case(
        "many",
        {"texts": ["x" * length for length in lengths]},
        output=lambda output: output == {"lengths": lengths},
        nodes={**once("spread", "gather", "done"), "measure": (len(lengths), len(lengths))},
    )


def some(chosen: random.Random, team: str) -> Case:
    names = [f"n{n}" for n in range(chosen.randint(2, 6))]
    return Case(
        "some",
        {"names": names},
        output=lambda output: output["names"] in [[a, b] for i, a in enumerate(names) for b in names[i + 1 :]],
        nodes={**once("spread", "gather", "done"), "work": (2, len(names))},
    )


def race(chosen: random.Random, team: str) -> Case:
    return Case(
        "race",
        {"team": team},
        output=lambda output: output == {"winner": "quick"},
        nodes={**once("split", "run", "first", "done"), "ask": (0, 1), "crash": (0, 1)},
    )


def broken(chosen: random.Random, team: str) -> Case:
    nodes = {**once("split", "crash", "both"), "work": (0, 1)}
    return Case("broken", status="failed", code="out_of_stock", nodes=nodes)


def pause(chosen: random.Random, team: str) -> Case:
    return _pause(chosen.choice(["PT0S", "PT1S"]))


def _pause(length: str) -> Case:
    return Case(
        "pause",
        {"pause": length},
        output=lambda output: output == {"woke": True},
        nodes=once("rest", "wake", "done"),
    )


def cancelled(chosen: random.Random, team: str) -> Case:
    nodes = {"rest": (0, 1), "wake": (0, 0), "done": (0, 0)}
    return Case("pause", {"pause": "PT3M"}, "cancelled", "run.cancelled", nodes=nodes, act="cancel")


def approve(chosen: random.Random, team: str) -> Case:
    act = chosen.choice(["approve", "reject"])
    decision = "approved" if act == "approve" else "rejected"
    return Case(
        "approve",
        {"team": team},
        output=lambda output: output == {"decision": decision, "comment": "by chaos"},
        nodes=once("ask", "done"),
        act=act,
    )


def call(chosen: random.Random, team: str) -> Case:
    return Case(
        "call",
        {"team": team},
        output=lambda output: output == {"score": 7},
        nodes=once("ask", "keep", "done"),
        sends={"How was it?": 1},
        act="answer",
    )


def mended(chosen: random.Random, team: str) -> Case:
    return dataclasses.replace(call(chosen, team), act="mend")


def ask(chosen: random.Random, team: str) -> Case:
    topic = chosen.choice(["rain", "snow"])
    return Case(
        "ask",
        {"topic": topic},
        output=lambda output: bool(output["answer"]),
        nodes=once("model", "keep", "done"),
    )


def look(chosen: random.Random, team: str) -> Case:
    number = chosen.randrange(1, DOCUMENTS)  # the first was removed
    return Case(
        "look",
        {"word": word(number)},
        output=lambda output: output == {"found": 1, "files": []},
        nodes=once("files", "search", "done"),
    )


def word(number: int) -> str:
    """What only the document of that number says."""
    return f"w{number}x{number * 7919}"


KINDS = (order, rounds, each, many, some, race, broken, pause, cancelled, approve, call, mended, ask, look)


def sleeper() -> Case:
    """A run that is long enough under way for the sweeper to ask about it."""
    return _pause(SLEEPER)


def cases(seed: int, count: int, team: str) -> list[Case]:
    """That many runs, every kind about as often as the others."""
    chosen = random.Random(seed)
    kinds = [KINDS[n % len(KINDS)] for n in range(count)]
    chosen.shuffle(kinds)
    return [kind(chosen, f"{team}/{n}") for n, kind in enumerate(kinds)]
