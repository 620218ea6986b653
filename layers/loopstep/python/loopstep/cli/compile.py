"""`loopstep compile`: the state machine of a plan, offline."""

from __future__ import annotations

import click

from loopstep.cli import files, outcome


@click.command("compile")
@click.argument("file")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write here instead of stdout.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document: the definition, else what `check` prints.")
def compile_command(file: str, output: str | None, as_json: bool) -> int:
    """Print the definition that FILE ("-": stdin) compiles to, in Amazon States Language.

    Functions stand in it as SAM's DefinitionSubstitutions, as ${SetVariable}. Exit code 1 when the plan has errors.
    """
    from loopstep.compiler.compile import compile
    from loopstep.compiler.emit import definition_text, emit

    document = files.read_document(file)
    compiled = compile(document)
    if compiled.diagnostics:
        from loopstep.cli.diagnosis import echo

        echo(file, document, compiled.diagnostics, to_stderr=True)
    if compiled.program is None:
        if as_json:
            from loopstep.cli.diagnosis import echo_json

            echo_json(file, compiled.diagnostics)
        return outcome.NO
    text = definition_text(emit(compiled.program))
    if output is None:
        click.echo(text)
    else:
        try:
            with open(output, "w", encoding="utf-8") as target:
                target.write(text + "\n")
        except OSError as fault:
            raise outcome.Failure(f"{output}: {fault.strerror or fault}", outcome.USAGE) from None
    return outcome.OK
