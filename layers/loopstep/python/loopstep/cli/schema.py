"""`loopstep schema`: the JSON Schema of plans, for editors."""

from __future__ import annotations

from pathlib import Path

import click

from loopstep.cli import outcome


@click.command("schema")
@click.option("-o", "--output", "target", metavar="FILE", help="Write to FILE instead of stdout.")
@click.option("--json", "as_json", is_flag=True, help="The schema is one JSON document either way.")
def schema_command(target: str | None, as_json: bool) -> int:
    """Print the JSON Schema (draft-07) of plans: completion, hover and checks in editors that know YAML schemas.

    A plan names the file in its first line: "# yaml-language-server: $schema=./plan.schema.json".
    """
    from loopstep.schema.plan_schema import schema_text

    if target is None or target == "-":
        click.echo(schema_text(), nl=False)
        return outcome.OK
    try:
        Path(target).write_text(schema_text(), encoding="utf-8")
    except OSError as fault:
        raise outcome.Failure(f"{target}: {fault.strerror or fault}", outcome.USAGE) from None
    return outcome.OK
