"""`loopstep test`: the cases of plans, played on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopstep.cli import files, outcome

if TYPE_CHECKING:
    from loopstep.testing.suite import Result

NEEDS = ("botocore", "jsonata")


@click.command("test")
@click.argument("paths", metavar="FILE…", nargs=-1, required=True)
@click.option("--only", default="", metavar="TEXT", help="The cases that have the text in their names.")
@click.option("--if-any", is_flag=True, help="Pass over files that have no cases.")
@click.option("--junit", metavar="FILE", help="Write the results as JUnit XML too.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"files": [{"file", "plan", "cases"}]}.')
def test_command(paths: tuple[str, ...], only: str, if_any: bool, junit: str | None, as_json: bool) -> int:
    """Run the cases of plans: of NAME.yaml those in NAME.cases.yaml, of a folder all below it.

    In one process, without a cloud; people and models answer as the case says, and time passes at once.
    Exit code 1 when a case fails or a file has errors, 2 when one cannot be read or there is no case.
    """
    results = _results(paths, only, if_any)
    if not if_any and not any(result.cases or not result.ok for result in results):
        raise outcome.Failure(f'no case has "{only}" in its name', outcome.USAGE)
    from loopstep.cli import test_report

    if junit is not None:
        _write(junit, test_report.junit(results))
    if as_json:
        click.echo(json.dumps(test_report.as_json(results), ensure_ascii=False))
    else:
        click.echo(test_report.text(results), nl=False, color=None)
    return outcome.OK if all(result.ok for result in results) else outcome.NO


def _results(paths: tuple[str, ...], only: str, if_any: bool) -> list[Result]:
    """Raises Failure for what cannot be read or found, and where the extra `test` is not installed."""
    try:
        from loopstep.testing.suite import NoCases, files_of, run_file
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDS:
            raise
        hint = "pip install 'loopstep[test]'"
        raise outcome.Failure(
            f"`loopstep test` needs {missing.name}, which is not installed", outcome.USAGE, hint
        ) from None
    read = lambda path: files.read_document(str(path))  # noqa: E731
    try:
        found = dict.fromkeys(files_of(paths, read, if_any))
        return [run_file(path, read, only) for path in found]
    except NoCases as none:
        raise outcome.Failure(str(none), outcome.USAGE, "docs/testing.md shows a file of cases.") from None


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as fault:
        raise outcome.Failure(f"{file}: {fault.strerror or fault}", outcome.USAGE) from None
