"""What must hold of all starts afterwards. Each check returns sentences about what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.starts.starting import ACCEPTED, BUSY, CONFLICT, KEYLESS, Answer, Start, Told


def told_alike(told: Iterable[Told]) -> list[str]:
    """Whoever was told the run of a start was told the same one, and nobody was refused."""
    wrong, runs = list[str](), dict[int, set[str]]()
    for each in told:
        for answer in each.answers:
            if answer.run is not None:
                runs.setdefault(each.start.number, set()).add(answer.run)
            elif not answer.unknown and answer.status != BUSY:
                wrong.append(
                    f"start {each.start.number} ({each.start.kind}) was refused: {answer.status} {answer.code}"
                )
    return wrong + [f"start {number} was told of {sorted(all_)}" for number, all_ in runs.items() if len(all_) > 1]


def right_runs(told: Iterable[Told], runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every accepted start is one run; a run that was never accepted is one whose answer was lost. `runs` as read."""
    by_number: dict[Any, list[str]] = {}
    for run in runs:
        by_number.setdefault(run["input"]["number"], []).append(run["runId"])
    wrong, answers, kinds = list[str](), dict[int, list[Answer]](), dict[int, str]()
    for each in told:
        answers.setdefault(each.start.number, []).extend(each.answers)
        kinds[each.start.number] = each.start.kind
    for number, all_ in answers.items():
        found, said = by_number.pop(number, []), {answer.run for answer in all_ if answer.run is not None}
        what = f"start {number} ({kinds[number]})"
        if len(found) > 1:
            wrong.append(f"{what} is {len(found)} runs: {sorted(found)}")
        if said - set(found):
            wrong.append(f"{what} was accepted as {sorted(said)}, which is lost")
        if found and not said and not any(answer.unknown for answer in all_):
            wrong.append(f"{what} is the run {found[0]}, though every answer refused it")
    return wrong + [f"runs {found} belong to no start" for found in by_number.values()]


def found_by_key(told: Iterable[Told], again: Mapping[int, Answer]) -> list[str]:
    """Asked again when nothing fails, a key leads to its run: the one that others were told of."""
    wrong = list[str]()
    before = {each.start.number: answer.run for each in told for answer in each.answers if answer.run is not None}
    for number, answer in again.items():
        if answer.status != ACCEPTED:
            wrong.append(f"start {number}, asked again, was answered {answer.status} {answer.code}")
        elif before.get(number, answer.run) != answer.run:
            wrong.append(f"start {number} was {before[number]}, asked again it is {answer.run}")
    return wrong


def conflicts(others: Mapping[int, Answer]) -> list[str]:
    """Another input under a key that has a run is refused."""
    return [
        f"start {number} with another input was answered {answer.status} {answer.code}"
        for number, answer in others.items()
        if (answer.status, answer.code) != (CONFLICT, "idempotency.conflict")
    ]


def complete(wanted: Iterable[Start], runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """In the end every start with a key has its run."""
    there = {run["input"]["number"] for run in runs}
    return [f"start {each.number} has no run" for each in wanted if each.kind != KEYLESS and each.number not in there]


def ended(runs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every run has ended well, with what it was given."""
    return [
        f"run {run['runId']} of start {run['input']['number']} is {run['status']} with {run['output']} {run['error']}"
        for run in runs
        if run["status"] != "succeeded" or run["output"] != {"number": run["input"]["number"]}
    ]
