"""`loopstep check`: everything that is wrong with plans, offline."""

from __future__ import annotations

import json
import sys

import click

from loopstep.cli import files, outcome


@click.command("check")
@click.argument("paths", metavar="FILE…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"files": [{"file", "diagnostics"}]}.')
@click.option("--sarif", "as_sarif", is_flag=True, help="One SARIF 2.1.0 document, for code scanning.")
@click.option("--github", "as_github", is_flag=True, help="Workflow commands, for annotations of GitHub Actions.")
@click.option("--plans-only", is_flag=True, help="Pass over files that are no plans.")
def check_command(paths: tuple[str, ...], as_json: bool, as_sarif: bool, as_github: bool, plans_only: bool) -> int:
    """Check plans ("-": stdin) and say everything that is wrong, with its place.

    Exit code 1 when one has errors, 2 when one cannot be read (what there is to say about the others is said).
    """
    from loopstep.compiler.compile import compile
    from loopstep.diagnostics.diagnostic import has_errors

    if as_json + as_sarif + as_github > 1:
        raise click.UsageError("--json, --sarif and --github exclude each other.")
    documents, unread = _read(paths)
    if not documents:
        raise unread[0]
    if plans_only:
        from loopstep.cli.plan_files import is_plan

        documents = {path: document for path, document in documents.items() if is_plan(document)}
    found = {path: compile(document).diagnostics for path, document in documents.items()}
    if as_json:
        from loopstep.diagnostics.render import render_json

        click.echo(json.dumps(render_json(found), ensure_ascii=False))
    elif as_sarif:
        from loopstep.diagnostics.sarif import sarif

        click.echo(json.dumps(sarif(found, documents), ensure_ascii=False))
    elif as_github:
        from loopstep.diagnostics.github import github

        click.echo(github(found), nl=False)
    else:
        from loopstep.cli.diagnosis import coloured, echo
        from loopstep.diagnostics.render import summary

        for path, diagnostics in found.items():
            echo(path, documents[path], diagnostics)
        every = [diagnostic for diagnostics in found.values() for diagnostic in diagnostics]
        click.echo(summary(every, colour=coloured(sys.stderr)), err=True, color=True)
    for fault in unread:
        fault.show()
    if unread:
        return outcome.USAGE
    return outcome.NO if any(map(has_errors, found.values())) else outcome.OK


def _read(paths: tuple[str, ...]) -> tuple[dict[str, bytes], list[outcome.Failure]]:
    """The documents by path, and why some cannot be read."""
    documents: dict[str, bytes] = {}
    unread = []
    for path in dict.fromkeys(paths):
        try:
            documents[path] = files.read_document(path)
        except outcome.Failure as fault:
            unread.append(fault)
    return documents, unread
