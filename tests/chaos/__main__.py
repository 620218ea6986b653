"""`python -m tests.chaos [--seed N] [--runs 50] [--minutes 10]`: exit code 0 when all is right and every rule fired."""

from __future__ import annotations

import argparse
import contextlib
import json
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loopstep.cli import outcome
from loopstep.cli.local import cloud, emulator
from loopstep.cli.local.project import Project
from loopstep.cli.remote import Remote
from loopstep.runs.records import Message
from tests.chaos import checking
from tests.chaos.cases import cases, sleeper
from tests.chaos.playing import Played, Player
from tests.chaos.proxy import Proxy, between
from tests.chaos.rules import Rule, rules
from tests.chaos.stack import Stack

ROOT = Path(__file__).resolve().parents[2]
INSTANCE = "chaos"
SIDE_BY_SIDE = 6  # runs at a time
MORE = 14  # runs that are added as long as a rule has not fired: one of each kind
SWEEP_SECONDS = 10.0
SWEEPS = 5  # afterwards, with nothing in the way


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 for anything that is wrong, with sentences on stderr."""
    chosen = _arguments(arguments)
    print(f"seed {chosen.seed}", flush=True)
    project, made = Project(ROOT, INSTANCE), rules(chosen.seed)
    try:
        with cloud.session(project, _say, emulator.Mode(strict=chosen.strict)) as state:
            stack, log = Stack(state), project.logs / "microburst.log"
            with between(state["endpoint"], made, chosen.seed, log) as proxy:
                _say(f"{len(stack.send_functions_through(proxy.url))} functions call by way of {proxy.url}")
                wrong = _chaos(chosen, stack, proxy, made, project)
                _judge(chosen.seed, wrong)  # stopping takes its time
    except outcome.Failure as failure:
        failure.show()
        return failure.exit_code
    except KeyboardInterrupt:
        return outcome.INTERRUPTED
    return 1 if wrong else 0


def _judge(seed: int, wrong: list[str]) -> None:
    for each in wrong:
        print(each, file=sys.stderr)
    print(f"seed {seed}: {f'{len(wrong)} problems' if wrong else 'all is right'}", flush=True)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="default: another one each time")
    parser.add_argument("--runs", type=int, default=50, help="at least; more where a rule has not fired by then")
    parser.add_argument("--strict", action="store_true", help="on the local cloud with the cloud's rules")
    parser.add_argument("--minutes", type=float, default=10, help="after which no further run is started")
    return parser.parse_args(arguments)


def _chaos(chosen: argparse.Namespace, stack: Stack, proxy: Proxy, made: list[Rule], project: Project) -> list[str]:
    """Publish, play until every rule has fired, put in order, look. What is wrong."""
    player = Player(Remote(stack.state["url"], stack.state["apiKey"]))
    queue, wrong = stack.listen(), list[str]()
    player.register()
    for name in sorted({case.plan for case in cases(0, MORE, "")}):
        if (version := player.publish(name)) != 1 or (count := player.versions(name)) != 1:
            wrong.append(f"plan {name} was published as version {version}, of {count}")
    with _sweeping(stack):
        played = list(_rounds(chosen, player, proxy))
    fired = proxy.fired()
    _report(made, fired, proxy, played, project)
    wrong += [f"rule {rule.name} never fired" for rule, count in zip(made, fired, strict=True) if not count]
    proxy.disarm()
    for _ in range(SWEEPS):
        stack.sweep()
    return wrong + _looked_at(player, stack, played, stack.heard(queue))


def _rounds(chosen: argparse.Namespace, player: Player, proxy: Proxy) -> Iterator[Played]:
    """Rounds of runs, until every rule has fired or the time is over."""
    deadline = time.monotonic() + 60 * chosen.minutes
    wanted = [sleeper(), *cases(chosen.seed, chosen.runs, f"chaos/{chosen.seed}")]
    number = 0
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        while True:
            keys = [f"{chosen.seed}-{number}-{n}" for n in range(len(wanted))]
            yield from _tell(pool.map(player.play, wanted, keys), len(wanted))
            number += 1
            left = [count for count in proxy.fired() if not count]
            if not left or time.monotonic() > deadline:
                return
            _say(f"{len(left)} rules have not fired yet")
            wanted = cases(chosen.seed + number, MORE, f"chaos/{chosen.seed}/{number}")


@contextlib.contextmanager
def _sweeping(stack: Stack) -> Iterator[None]:
    """The sweeper all the time, beside its own schedule: two sweeps at once do no harm."""
    over = threading.Event()

    def sweep() -> None:
        while not over.wait(SWEEP_SECONDS):
            stack.sweep()

    thread = threading.Thread(target=sweep)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _tell(played: Iterator[Played], count: int) -> Iterator[Played]:
    for number, each in enumerate(played, start=1):
        if number % 10 == 0 or number == count:
            _say(f"{number} of {count} runs")
        yield each


def _looked_at(player: Player, stack: Stack, played: list[Played], heard: list[dict[str, Any]]) -> list[str]:
    wrong, stored, epochs = list[str](), list[tuple[str, Message]](), dict[str, int]()
    for each in played:
        try:
            found = checking.records_of(stack.items(each.run))
        except KeyError as missing:
            wrong.append(f"{each.case.plan} {each.run}: there is no {missing}")
            continue
        stored += [(each.run, message) for message in found.messages]
        epochs[each.run] = found.head.epoch
        wrong += checking.problems(each, player.read(each.run), found, stack.text)
    wrong += checking.published(stored, heard)
    wrong += checking.executions(epochs, stack.executions())
    return wrong + _started_once(player, played)


def _started_once(player: Player, played: list[Played]) -> list[str]:
    """One run for every Idempotency-Key."""
    by_plan: dict[str, list[str]] = {}
    for each in played:
        by_plan.setdefault(each.case.plan, []).append(each.run)
    return [
        f"plan {plan} has {len(found)} runs, {len(runs)} were asked for"
        for plan, runs in by_plan.items()
        if sorted(found := player.runs(plan)) != sorted(set(runs))
    ]


def _report(made: list[Rule], fired: list[int], proxy: Proxy, played: list[Played], project: Project) -> None:
    """What was injected, on stdout and whole as chaos.json in the logs of this cloud."""
    for rule, count in sorted(zip(made, fired, strict=True), key=lambda each: each[0].name):
        print(f"  {count:3d} x {rule.name}")
    print(f"  {sum(fired)} faults in {proxy.requests()} calls, {len(played)} runs", flush=True)
    evidence = {"rules": [rule.to_json() for rule in made], "fired": fired, "faults": proxy.evidence()}
    (project.logs / "chaos.json").write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")


def _say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
