"""`loopstep init`: a folder to begin with, of one of three templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

import click

from loopstep import __version__
from loopstep.cli import outcome

ACTION = f"loopstep/loopstep@v{__version__}"


class Template(NamedTuple):
    """`name` is the plan's, `input` what its first run gets."""

    name: str
    title: str
    about: str
    input: str


TEMPLATES = {
    "hello": Template(
        "hello",
        "Hello",
        "`hello` greets somebody in a loop: input and output with contracts, state, a message, a condition.",
        '{"name": "Ada", "times": 2}',
    ),
    "approval": Template(
        "expense",
        "Expenses",
        "`expense` asks people where a rule does not decide, and asks the lead where nobody has decided for two days. "
        "`loopstep approvals` lists what is open, `loopstep approve ID` decides.",
        '{"who": "Ada", "what": "a chair", "amount": 300}',
    ),
    "models": Template(
        "mail",
        "Mail",
        "`mail` has a model sort mails and answer complaints, and another look find the answer good. Cases say what "
        "models say; on a stack a model of Amazon Bedrock answers, on a local cloud a stand-in, or your own with "
        "`loopstep up --model-url`.",
        '{"mail": "My parcel is late."}',
    ),
}


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".")
@click.option("--template", type=click.Choice(tuple(TEMPLATES)), default="hello", show_default=True)
@click.option("--action", default=ACTION, show_default=True, help="The GitHub action of the workflow, OWNER/NAME@REF.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"folder", "files"}.')
def init_command(folder: str, template: str, action: str, as_json: bool) -> int:
    """Write a plan with cases, a README, a GitHub workflow and .gitignore into DIR; nothing is overwritten."""
    chosen, top = TEMPLATES[template], Path(folder)
    made = dict(_files(template, chosen, action))
    taken = [name for name in made if (top / name).exists() or (top / name).is_symlink()]
    if taken:
        there = ", ".join(str(top / name) for name in taken)
        raise outcome.Failure(f"already there: {there}", outcome.CONFLICT, "Nothing was written; name another folder.")
    try:
        for name, text in made.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            with (top / name).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as fault:
        raise outcome.Failure(f"{fault.filename or folder}: {fault.strerror}", outcome.USAGE) from None
    if as_json:
        click.echo(json.dumps({"folder": str(top), "files": list(made)}, ensure_ascii=False))
    else:
        click.echo("\n".join(_told(top, chosen, list(made))))
    return outcome.OK


def _files(template: str, chosen: Template, action: str) -> Iterator[tuple[str, str]]:
    from loopstep.schema.plan_schema import schema_text

    top = files("loopstep.cli") / "templates"
    own, every = top / template, top / "every"
    yield f"plans/{chosen.name}.yaml", _text(own / "plan.yaml")
    yield f"plans/{chosen.name}.cases.yaml", _text(own / "cases.yaml")
    yield "plans/plan.schema.json", schema_text()
    readme = _text(every / "README.md")
    for name, value in chosen._asdict().items():
        readme = readme.replace("{" + name + "}", value)
    yield "README.md", readme
    yield ".github/workflows/plans.yml", _text(every / "workflow.yml").replace("{action}", action)
    yield ".gitignore", _text(every / "gitignore")


def _text(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")


def _told(top: Path, chosen: Template, made: list[str]) -> Iterator[str]:
    yield from (f"  {top / name}" for name in made)
    yield ""
    yield "Next:"
    if top != Path():
        yield f"  cd {top}"
    yield f"  loopstep check plans/{chosen.name}.yaml"
    yield "  loopstep test plans"
    yield "  loopstep up, in a checkout of loopstep, or LOOPSTEP_URL and LOOPSTEP_API_KEY of a stack"
    yield f"  loopstep run plans/{chosen.name}.yaml --input '{chosen.input}' --watch"
