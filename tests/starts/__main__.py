"""`python -m tests.starts [--starts 1000] [--at-once 16] [--seed N]`: exit code 0 when every start is as it must be."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loopstep.cli import outcome
from loopstep.cli.local import cloud, emulator
from loopstep.cli.local.project import Project
from loopstep.cli.remote import Remote
from loopstep.runs.records import TERMINAL
from tests.chaos import checking as records
from tests.chaos.proxy import Proxy, between
from tests.chaos.rules import Rule
from tests.chaos.stack import Stack
from tests.starts import checking
from tests.starts.killing import killing
from tests.starts.rules import FUNCTIONS, rules
from tests.starts.starting import ACCEPTED, INVOKED, Answer, Invoke, Start, Starter, Told, starts

ROOT = Path(__file__).resolve().parents[2]
PLAN = Path(__file__).with_name("plan.yaml")
INSTANCE, NAME = "starts", "start_me"
KILL_SECONDS = 5.0  # between two
END_SECONDS = 420.0  # in which all have to end: the sweeper heals what is two minutes old
OTHERS = 100  # of the starts are tried again with another input


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 for anything that is wrong, with sentences on stderr."""
    chosen = _arguments(arguments)
    print(f"seed {chosen.seed}", flush=True)
    project, made = Project(ROOT, INSTANCE), rules(chosen.seed, chosen.starts)
    try:
        with cloud.session(project, _say, emulator.Mode(strict=chosen.strict)) as state:
            stack, log = Stack(state), project.logs / "microburst.log"
            Remote(state["url"], state["apiKey"]).call("PUT", f"/plans/{NAME}", raw=PLAN.read_bytes())
            with between(state["endpoint"], made, chosen.seed, log) as proxy:
                stack.send_functions_through(proxy.url, FUNCTIONS)
                wrong = _proved(chosen, stack, proxy, made)
    except outcome.Failure as failure:
        failure.show()
        return failure.exit_code
    except KeyboardInterrupt:
        return outcome.INTERRUPTED
    for each in wrong:
        print(each, file=sys.stderr)
    print(f"seed {chosen.seed}: {f'{len(wrong)} problems' if wrong else 'all is right'}", flush=True)
    return 1 if wrong else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.starts", description=__doc__)
    parser.add_argument("--starts", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="default: another one each time")
    parser.add_argument("--strict", action="store_true", help="on the local cloud with the cloud's rules")
    return parser.parse_args(arguments)


def _proved(chosen: argparse.Namespace, stack: Stack, proxy: Proxy, made: list[Rule]) -> list[str]:
    """Start under faults, look; ask again without, let all end, look again. What is wrong."""
    state, began = stack.state, time.monotonic()
    wanted, port = starts(chosen.seed, chosen.starts), int(proxy.url.rpartition(":")[2])
    starter = Starter(state["url"], state["apiKey"], NAME, invoker(stack, NAME))
    with killing(state["pid"], FUNCTIONS, port, KILL_SECONDS, chosen.seed) as killed:
        told = starter.all(
            wanted, chosen.at_once, lambda count: _say(f"{count} asked for") if count % 250 == 0 else None
        )
    fired, faults = proxy.fired(), proxy.requests()
    proxy.disarm()
    _report(told, made, fired, faults, killed.counts, time.monotonic() - began)
    wrong = [f"rule {rule.name} never hit" for rule, count in zip(made, fired, strict=True) if not count]
    if not killed.counts:
        wrong.append("no process was killed")
    api = Remote(state["url"], state["apiKey"])
    wrong += checking.told_alike(told) + checking.right_runs(told, _runs(api))
    again = _again(starter, [each for each in wanted if each.key is not None], chosen.at_once)
    wrong += checking.found_by_key(told, again)
    wrong += checking.conflicts(
        {each.number: starter.other(each) for each in wanted[:OTHERS] if each.key and each.kind != INVOKED}
    )
    _end(stack, api)
    runs = _runs(api)
    print(f"  {len(runs)} runs, all looked at after {time.monotonic() - began:.0f} s", flush=True)
    wrong += checking.right_runs([*told, *(Told(wanted[n], (answer,)) for n, answer in again.items())], runs)
    wrong += checking.complete(wanted, runs) + checking.ended(runs)
    return wrong + records.executions({run["runId"]: 1 for run in runs}, stack.executions())


def invoker(stack: Stack, plan: str) -> Invoke:
    """Asks the start_run function for runs of the plan, as another program does."""
    client = stack.client("lambda")

    def invoke(start: Start) -> Answer:
        payload = {"plan": plan, "input": start.input, "idempotencyKey": start.key}
        function = stack.state["outputs"]["StartRunFunction"]
        reply = client.invoke(FunctionName=function, Payload=json.dumps(payload).encode())
        said = json.loads(reply["Payload"].read() or b"null")
        if "FunctionError" in reply or not isinstance(said, dict) or "runId" not in said:
            return Answer(500, None, str(said)[:200])
        return Answer(ACCEPTED, said["runId"])

    return invoke


def _again(starter: Starter, keyed: list[Start], at_once: int) -> dict[int, Answer]:
    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip([each.number for each in keyed], pool.map(starter.again, keyed), strict=True))


def _end(stack: Stack, api: Remote) -> None:
    """Sweep until all runs have ended, or the time is over."""
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        if all(each["status"] in TERMINAL for each in api.items("/runs", plan=NAME)):
            return
        stack.sweep()
        time.sleep(5)


def _runs(api: Remote) -> list[dict[str, Any]]:
    """Every run of the plan, as the API shows it; two at a time, for a stack bounds what it is asked in a second."""
    names = [each["runId"] for each in api.items("/runs", plan=NAME)]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda name: api.call("GET", f"/runs/{name}"), names))


def _report(
    told: list[Told], made: list[Rule], fired: list[int], calls: int, killed: dict[str, int], seconds: float
) -> None:
    """What was asked, what was injected, what was answered."""
    for rule, count in sorted(zip(made, fired, strict=True), key=lambda each: each[0].name):
        print(f"  {count:4d} x {rule.name}")
    print("".join(f"  {count:4d} x killed {name}\n" for name, count in sorted(killed.items())), end="")
    answers = Counter(str(answer.status or "none") for each in told for answer in each.answers)
    kinds = Counter(each.start.kind for each in told)
    print(f"  {sum(fired)} faults in {calls} calls; {len(told)} asked: {dict(kinds)}")
    print(f"  answers {dict(sorted(answers.items()))} in {seconds:.0f} s", flush=True)


def _say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
