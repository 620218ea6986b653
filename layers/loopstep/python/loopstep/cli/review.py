"""`loopstep review`: what a change does to the plans of a repository, for the people who look at it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopstep.cli import outcome

if TYPE_CHECKING:
    from loopstep.cli.reviewing import Review


@click.command("review")
@click.argument("base")
@click.argument("head", default="")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only these files; can be repeated.")
@click.option("--sarif", metavar="FILE", help="Write what is wrong as SARIF 2.1.0 too, for code scanning.")
@click.option("--fail-on-breaking", is_flag=True, help="Exit code 1 also for a plan that breaks callers.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"files", "changed"}.')
def review_command(
    base: str, head: str, paths: tuple[str, ...], sarif: str | None, fail_on_breaking: bool, as_json: bool
) -> int:
    """Review the plans of a git repository: BASE against HEAD, both commits; without HEAD the files as they are.

    Checks every plan, and says of each that is another what changed, what breaks callers, and how its graph looked
    before and after, as Markdown. Exit code 1 when a plan has errors.
    """
    from loopstep.cli.git import Repository
    from loopstep.cli.review_report import markdown
    from loopstep.cli.reviewing import review

    repository = Repository.of(Path.cwd())
    found = review(repository, repository.commit(base), repository.commit(head) if head else None, paths)
    if sarif:
        write(sarif, sarif_text(found))
    if as_json:
        click.echo(json.dumps(_json(found), ensure_ascii=False))
    else:
        click.echo(markdown(found.changed, len(found.documents)), nl=False)
    return outcome.NO if found.errors or (found.breaking and fail_on_breaking) else outcome.OK


def sarif_text(found: Review) -> str:
    """What is wrong with every plan, as SARIF 2.1.0."""
    from loopstep.diagnostics.sarif import sarif

    return json.dumps(sarif(found.found, found.documents), ensure_ascii=False)


def write(file: str, text: str, mode: str = "w") -> None:
    """Write a file, or append to it with mode "a". Raises Failure."""
    try:
        with open(file, mode, encoding="utf-8") as target:
            target.write(text)
    except OSError as fault:
        raise outcome.Failure(f"{file}: {fault.strerror or fault}", outcome.USAGE) from None


def _json(found: Review) -> dict[str, Any]:
    """`{files: […], changed: [{path, new, gone, comparison}]}`."""
    from loopstep.cli.diff import comparison_json
    from loopstep.diagnostics.render import render_json

    changed = [
        {
            "path": each.path,
            "new": each.before is None,
            "gone": each.after is None,
            "comparison": comparison_json(each.comparison) if each.comparison is not None else None,
        }
        for each in found.changed
    ]
    return {**render_json(found.found), "changed": changed}
