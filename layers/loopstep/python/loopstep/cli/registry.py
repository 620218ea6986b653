"""`loopstep skills`, `agents`, `sources`, `scopes`: what plans refer to by id. Each lists, puts, shows, removes."""

from __future__ import annotations

import json
from typing import Any

import click

from loopstep.cli import files, outcome, remote, table
from loopstep.cli.publish import show_diagnostics

INVALID = 422
SCOPE = "scope"

_MEDIA = {".md": "text/markdown", ".markdown": "text/markdown", ".json": "application/json"}
_SOURCE_KINDS = ("DOCUMENT", "STRUCTURED_DATA", "GRAPH")
# By kind: command → (module, attribute).
_LATER = {"source": {"documents": ("documents", "documents_command")}}


class Group(click.Group):
    """The commands of one kind; what only some need is imported when it is called."""

    def __init__(self, kind: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.later = _LATER.get(kind, {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.later]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.later:
            return super().get_command(ctx, cmd_name)
        import importlib

        module, attribute = self.later[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"loopstep.cli.{module}"), attribute)
        return command


def _group(kind: str, about: str) -> Group:
    group = Group(kind, name=f"{kind}s", help=about)
    for command in (_list(kind), _show(kind), _remove(kind)):
        group.add_command(command)
    return group


def _path(kind: str, id: str) -> str:
    return f"/{kind}s/{remote.quoted(id)}"


def _list(kind: str) -> click.Command:
    @click.command("list", help=f"List the registered {kind}s.")
    @click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
    @click.option("--json", "as_json", is_flag=True, help="One JSON document with `items`.")
    def command(limit: int, as_json: bool) -> None:
        items = list(remote.connect(as_json).items(f"/{kind}s", limit))
        if as_json:
            click.echo(json.dumps({"items": items}, ensure_ascii=False))
            return
        rows = [[table.plain(i["id"]), f"v{i['version']}", *_facts(i), _said(i)] for i in items]
        click.echo("\n".join(table.lines(rows)) or f"No {kind} is registered yet.")

    return command


def _facts(item: dict[str, Any]) -> list[str]:
    """Of a source its kind, and whether it is asked."""
    if "kind" not in item:
        return []
    return [item["kind"] if item["enabled"] else f"{item['kind']} (disabled)"]


def _said(item: dict[str, Any]) -> str:
    name = item["name"] if item["name"] != item["id"] else ""
    return table.cut(table.plain(": ".join(text for text in (name, item["description"]) if text)), 70)


def _show(kind: str) -> click.Command:
    @click.command("show", help=f"Show {_a(kind)}: its newest version{'' if kind == SCOPE else ', or another'}.")
    @click.argument("id")
    @click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
    def command(id: str, as_json: bool, version: int | None = None) -> None:
        path = _path(kind, id) + (f"/versions/{version}" if version else "")
        found = remote.connect(as_json).call("GET", path)
        click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(_lines(found)))

    if kind != SCOPE:  # nothing pins a scope, so nobody needs an older one
        option = click.Option(["--version"], type=click.IntRange(1), help="Also of what was removed.")
        command.params.insert(1, option)
    return command


def _lines(found: dict[str, Any]) -> list[str]:
    """A line for each thing it says, the instructions last and as they are."""
    said = {name: value for name, value in found.items() if value not in ([], "", None)}
    text = said.pop("instructions", "")
    rows = [[name, _value(value)] for name, value in said.items()]
    return [*table.lines(rows), *(["", *outcome.visible(text).splitlines()] if text else [])]


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_value(each) for each in value)
    if isinstance(value, dict) and "type" in value:
        return f"{table.plain(value['name'])}: {value['type']}{'' if value['required'] else '?'}"
    return table.cut(table.plain(value), 100) if isinstance(value, str) else table.short(value)


def _remove(kind: str) -> click.Command:
    @click.command("remove", help=f"Take {_a(kind)} out. Published plans that pin it go on using it.")
    @click.argument("id")
    @click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
    def command(id: str, as_json: bool) -> None:
        answer = remote.connect(as_json).call("DELETE", _path(kind, id))
        click.echo(json.dumps(answer, ensure_ascii=False) if as_json else f"{id}: removed")

    return command


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _put(kind: str, id: str, file: str, document: bytes, media: str, as_json: bool) -> int:
    """Send a content; say what came of it."""
    api = remote.connect(as_json)
    try:
        answer = api.call("PUT", _path(kind, id), raw=document, headers={"content-type": media})
    except remote.Refused as refused:
        if refused.status != INVALID or as_json:
            raise
        show_diagnostics(file, refused.problem)
        return outcome.NO
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        show_diagnostics(file, answer)
        click.echo(f"{id} version {answer['version']}{' (unchanged)' if answer['unchanged'] else ''}")
    return outcome.OK


def _put_file(kind: str, id: str, file: str, as_json: bool) -> int:
    ending = file[file.rfind(".") :].lower() if "." in file else ""
    return _put(kind, id, file, files.read_text(file), _MEDIA.get(ending, "application/yaml"), as_json)


def _put_data(kind: str, id: str, file: str | None, data: dict[str, Any], as_json: bool) -> int:
    """FILE or options, not both."""
    given = {name: value for name, value in data.items() if value is not None}
    if file is not None:
        if given:
            raise click.UsageError("FILE says everything: no other options beside it.")
        return _put_file(kind, id, file, as_json)
    return _put(kind, id, "options", json.dumps(given, ensure_ascii=False).encode(), "application/json", as_json)


def _put_worker(kind: str) -> click.Command:
    @click.command(
        "put", help=f"Register FILE (SKILL.md, YAML or JSON; “-”: stdin) as {_a(kind)}, or its next version."
    )
    @click.argument("id")
    @click.argument("file")
    @click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
    def command(id: str, file: str, as_json: bool) -> int:
        return _put_file(kind, id, file, as_json)

    return command


@click.command("put")
@click.argument("id")
@click.argument("file", required=False)
@click.option("--kind", type=click.Choice(_SOURCE_KINDS))
@click.option("--name", help="For people. Default: the id.")
@click.option("--description")
@click.option("--knowledge-base", metavar="ID", help="A knowledge base of Amazon Bedrock answers, not own documents.")
@click.option("--disabled", is_flag=True, help="It is not asked where a node asks all sources.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def put_source(
    id: str,
    file: str | None,
    kind: str | None,
    name: str | None,
    description: str | None,
    knowledge_base: str | None,
    disabled: bool,
    as_json: bool,
) -> int:
    """Register a source (YAML or JSON in FILE, or --kind and what goes with it), or its next version."""
    if file is None and kind is None:
        raise click.UsageError("Say what it is: FILE or --kind.")
    data = {
        "kind": kind,
        "name": name,
        "description": description,
        "managed": {"knowledgeBaseId": knowledge_base} if knowledge_base is not None else None,
        "enabled": False if disabled else None,
    }
    return _put_data("source", id, file, data, as_json)


@click.command("put")
@click.argument("name")
@click.argument("file", required=False)
@click.option("--description")
@click.option("--max-per-run", type=click.IntRange(1), help="Most messages that one run may send there.")
@click.option("--json", "as_json", is_flag=True, help="Print the API's answer.")
def put_scope(name: str, file: str | None, description: str | None, max_per_run: int | None, as_json: bool) -> int:
    """Register a scope (YAML or JSON in FILE, or options), or its next version."""
    return _put_data("scope", name, file, {"description": description, "maxPerRun": max_per_run}, as_json)


skills_command = _group("skill", "Skills: instructions that a model follows, with their inputs.")
skills_command.add_command(_put_worker("skill"))
agents_command = _group("agent", "Agents: instructions with the skills, sources and tools they may use.")
agents_command.add_command(_put_worker("agent"))
sources_command = _group("source", "Knowledge sources, and the documents in them.")
sources_command.add_command(put_source)
scopes_command = _group("scope", "Scopes: where messages go, and how many a run may send.")
scopes_command.add_command(put_scope)
