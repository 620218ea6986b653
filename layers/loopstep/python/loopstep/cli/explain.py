"""`loopstep explain`: a plan's data flow edge by edge, or what a code means."""

from __future__ import annotations

import json

import click

from loopstep.cli import files, outcome


@click.command("explain")
@click.argument("what", metavar="FILE|CODE")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def explain_command(what: str, as_json: bool) -> int:
    """Show where every value of the plan FILE comes from and goes to; or what the CODE of a diagnostic or a run means.

    For every edge: the source reference, the target field, both types, conversions. Then what depends on the order in
    which parallel parts arrive. Exit code 1 when the plan has errors.
    """
    from loopstep.cli.code_page import KNOWN, page, page_json

    if what in KNOWN:
        click.echo(json.dumps(page_json(what), ensure_ascii=False) if as_json else page(what))
        return outcome.OK
    return _explain_plan(what, as_json)


def _explain_plan(file: str, as_json: bool) -> int:
    from loopstep.cli import data_flow
    from loopstep.compiler.compile import compile
    from loopstep.services.describe_flow import describe_flow

    document = _document(file)
    compiled = compile(document)
    if compiled.plan is None or compiled.program is None:
        from loopstep.cli.diagnosis import echo, echo_json

        if as_json:
            echo_json(file, compiled.diagnostics)
        else:
            echo(file, document, compiled.diagnostics, to_stderr=True)
        return outcome.NO
    flow = describe_flow(compiled.plan, compiled.flows)
    click.echo(json.dumps(flow, ensure_ascii=False) if as_json else data_flow.text(flow))
    return outcome.OK


def _document(file: str) -> bytes:
    """The bytes of the file. Raises Failure, which knows what else may have been meant."""
    try:
        return files.read_document(file)
    except outcome.Failure as fault:
        from loopstep.cli.code_page import KNOWN
        from loopstep.diagnostics.suggest import did_you_mean

        fault.hint = did_you_mean(file, KNOWN)
        raise
