"""What `action.yml` runs: `python -m loopstep.cli.github_action`, its inputs in LOOPSTEP_* and all else in GITHUB_*.

Faults become annotations, the report goes to the job's summary, and `changed`, `breaking`, `errors`, `report` and
`sarif` are outputs of the step. Exit code 1 where the job is to fail.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

import click

from loopstep.cli import outcome
from loopstep.cli.git import Repository
from loopstep.cli.main import run
from loopstep.cli.review import sarif_text, write
from loopstep.cli.review_report import COMMENT_CHARACTERS, markdown
from loopstep.cli.reviewing import Review, review
from loopstep.diagnostics.github import github


def main(environment: Mapping[str, str]) -> int:
    """Review the repository of the folder, run the cases; an exit code. Raises Failure."""
    repository = Repository.of(Path.cwd())
    base = repository.commit(environment.get("LOOPSTEP_BASE", ""), fetch=True)
    found = review(repository, base, None, _lines(environment, "LOOPSTEP_PATHS"))
    click.echo(github(found.found), nl=False)
    _hand_on(environment, found)
    failed = bool(found.errors) or (found.breaking and environment.get("LOOPSTEP_FAIL_ON_BREAKING") == "true")
    cases = _lines(environment, "LOOPSTEP_CASES")
    tested = run(["test", *cases]) if cases else outcome.OK
    return outcome.NO if failed else tested


def _hand_on(environment: Mapping[str, str], found: Review) -> None:
    """The summary, the files and the outputs."""
    folder = Path(environment.get("RUNNER_TEMP") or ".")
    report, sarif = str(folder / "loopstep-report.md"), str(folder / "loopstep.sarif")
    write(report, markdown(found.changed, len(found.documents), COMMENT_CHARACTERS))
    write(sarif, sarif_text(found))
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        write(summary, markdown(found.changed, len(found.documents)), "a")
    outputs = {
        "changed": "\n".join(each.path for each in found.changed),
        "breaking": str(found.breaking).lower(),
        "errors": str(found.errors),
        "report": report,
        "sarif": sarif,
    }
    if place := environment.get("GITHUB_OUTPUT"):
        mark = f"end-{uuid.uuid4().hex}"  # nobody can guess it, so no value makes further outputs
        write(place, "".join(f"{name}<<{mark}\n{value}\n{mark}\n" for name, value in outputs.items()), "a")


def _lines(environment: Mapping[str, str], name: str) -> list[str]:
    return [line.strip() for line in environment.get(name, "").splitlines() if line.strip()]


if __name__ == "__main__":
    try:
        sys.exit(main(os.environ))
    except outcome.Failure as failure:
        failure.show()
        sys.exit(failure.exit_code)
