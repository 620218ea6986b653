"""What stands in blocks and between backticks in the docs is true: commands and options exist, code compiles."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from docs.build_site import PAGES, navigation
from docs.generate import DOCS, ROOT
from docs.recipes import recipe_files
from loopstep.cli.main import COMMANDS, loopstep
from loopstep.compiler.compile import compile

TEXTS = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.S | re.M)
INLINE = re.compile(r"`(loopstep [^`]+)`")
SHELL = ("console", "sh", "bash")
LANGUAGES = ("yaml", "json", "toml", "python", "text", "markdown", *SHELL)
ABSENT = re.compile(r"[…]|\.\.\.")  # a block with a gap shows a part


class Block:
    """A fenced block: where it is, what it says of itself, its text."""

    def __init__(self, path: Path, line: int, info: str, text: str) -> None:
        self.where, self.words, self.text = f"{path.relative_to(ROOT).as_posix()}:{line}", info.split(), text

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""


def blocks() -> Iterator[Block]:
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            yield Block(path, text.count("\n", 0, match.start()) + 1, match[1], match[2])


BLOCKS = list(blocks())


def test_every_block_says_its_language() -> None:
    assert {each.where: each.language for each in BLOCKS if each.language not in LANGUAGES} == {}


# -- commands ---------------------------------------------------------------------------------------------------------


def spoken() -> list[tuple[str, list[str]]]:
    """Every `loopstep …` line of a shell block: place, arguments."""
    return [
        (each.where, words)
        for each in BLOCKS
        if each.language in SHELL
        for line in lines(each)
        for words in commands(line)
    ]


def lines(block: Block) -> Iterator[str]:
    """Its commands; of a console block what follows a prompt, else every line that is no comment."""
    text = block.text.replace("\\\n", " ")
    for line in text.split("\n"):
        if block.language == "console":
            if line.startswith("$ "):
                yield line[2:]
        elif line.strip() and not line.startswith("#"):
            yield line


def commands(line: str) -> Iterator[list[str]]:
    """The arguments of each `loopstep` in a line of a shell: what a pipe or a list separates."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="|;&<>")
    reader.whitespace_split, reader.commenters = True, "#"
    words: list[str] = []
    for word in [*reader, ";"]:
        if word and set(word) <= set("|;&<>"):
            while words and "=" in words[0]:
                words.pop(0)
            if words and words[0].rpartition("/")[2] == "loopstep":
                yield words[1:]
            words = []
        else:
            words.append(word)


@pytest.mark.parametrize(("where", "words"), spoken(), ids=lambda value: str(value)[:70])
def test_commands_and_options_exist(where: str, words: list[str]) -> None:
    command, context = loopstep, click.Context(loopstep, info_name="loopstep")
    left: list[str] = words
    while isinstance(command, click.Group):
        if left and left[0] in ("--help", "--version", "-h"):
            return
        assert left and left[0] in command.list_commands(context), f"{where}: loopstep {' '.join(words)}"
        found = command.get_command(context, left[0])
        assert found is not None
        command, left, context = found, left[1:], click.Context(found, parent=context, info_name=left[0])
    if "--help" in left:
        return
    given, rest, _ = command.make_parser(context).parse_args(list(left))
    assert rest == [], f"{where}: {rest} is too much"
    for each in command.params:
        if isinstance(each, click.Argument) and each.required:
            assert given.get(str(each.name)) not in (None, ()), f"{where}: {each.human_readable_name} is missing"


def mentioned() -> list[tuple[str, str]]:
    """Every `loopstep …` in running text and tables; not in the changes, which tell of what was."""
    found = []
    for path in TEXTS:
        if path.name == "CHANGELOG.md":
            continue
        text = BLOCK.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
        for match in INLINE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{path.relative_to(ROOT).as_posix()}:{line}", match[1].replace("\\|", "|")))
    return found


def test_mentioned_commands_and_options_exist() -> None:
    wrong = [f"{where}: {text}" for where, text in mentioned() if not known(text)]
    assert wrong == []


def known(text: str) -> bool:
    """Whether a command is there, and each option that is named with it is its own or one of its commands'."""
    name, *words = text.removeprefix("loopstep ").split()
    if name.startswith("--"):
        return True
    parts = name.rstrip(",;.").split("|")
    if not set(parts) <= COMMANDS.keys():
        return not name[0].islower()  # `loopstep COMMAND`, `loopstep …`
    options = {option for part in parts for option in options_of(part, words[0] if words else "")}
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) <= options | {"--help"}


def options_of(name: str, below: str) -> set[str]:
    found = loopstep.get_command(click.Context(loopstep), name)
    assert found is not None
    if isinstance(found, click.Group):
        chosen = [found.commands[below]] if below in found.commands else list(every(found))
    else:
        chosen = [found]
    return {option for each in chosen for param in each.params for option in [*param.opts, *param.secondary_opts]}


def every(group: click.Group) -> Iterator[click.Command]:
    for each in group.commands.values():
        yield each
        if isinstance(each, click.Group):
            yield from every(each)


def test_the_test_sees_what_is_wrong() -> None:
    assert list(commands("X=1 loopstep run a --input '{}' | jq . ; ls")) == [["run", "a", "--input", "{}"]]
    assert known("loopstep sources put ID --kind DOCUMENT") and known("loopstep check FILE… [--json|--sarif]")
    assert not known("loopstep chekc FILE") and not known("loopstep check FILE --fast")
    with pytest.raises(click.exceptions.NoSuchOption):
        test_commands_and_options_exist("here", ["check", "a.yaml", "--fast"])
    with pytest.raises(AssertionError):
        test_commands_and_options_exist("here", ["sources", "documents", "rename"])


# -- code -------------------------------------------------------------------------------------------------------------


def test_plans_are_marked_as_what_they_are() -> None:
    """A whole plan is checked: `yaml plan` has nothing wrong, `yaml wrong CODE…` has just that."""
    whole = [each for each in BLOCKS if each.language == "yaml" and re.search(r"^apiVersion: loop", each.text, re.M)]
    assert [each.where for each in whole if each.where.startswith("docs/") and len(each.words) < 2] == []
    assert len(whole) > 100


@pytest.mark.parametrize(
    "block", [each for each in BLOCKS if each.words[1:2] == ["wrong"]], ids=lambda block: str(block.where)
)
def test_wrong_plans_are_wrong_as_they_say(block: Block) -> None:
    found = [each.code for each in compile(block.text).diagnostics]
    assert found == block.words[2:], block.where


def test_other_code_can_be_read() -> None:
    for each in BLOCKS:
        if each.words == ["yaml"]:
            list(yaml.compose_all(each.text))
        elif each.language == "python":
            importlib.import_module("builtins").compile(each.text, each.where, "exec")
        elif each.language == "json" and not ABSENT.search(each.text):
            json.loads(each.text)
        elif each.language == "toml":
            tomllib.loads(each.text)


# -- the site and the cookbook ----------------------------------------------------------------------------------------


def test_the_navigation_has_every_page_once() -> None:
    settings = yaml.safe_load((DOCS / "mkdocs.yml").read_text(encoding="utf-8"))
    named = list(leaves(navigation(settings["nav"])))
    pages = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert sorted(named) == sorted([*pages, *PAGES])
    assert settings["theme"]["font"] is False


def leaves(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict):
        for inner in entry.values():
            yield from leaves(inner)
    elif isinstance(entry, list):
        for inner in entry:
            yield from leaves(inner)


def test_every_recipe_has_its_page() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "cookbook").glob("*.md")}
    index = pages.pop("index.md")
    recipes = {name: page for page, text in pages.items() for name in re.findall(r"<!-- recipe: (\w+) -->", text)}
    assert recipes.keys() == recipe_files().keys() and len(recipes) == len(pages) == 12
    for name, page in recipes.items():
        heads = re.findall(r"^## (.+)$", BLOCK.sub("", pages[page]), re.M)
        assert heads == ["The plan", "How it works", "Run it", "Variations"], page
        assert f"]({page})" in index and f"docs/cookbook/{page}" in recipe_files()[name].read_text(encoding="utf-8")


def test_pictures_say_what_they_show() -> None:
    for path in TEXTS:
        for alt, link in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
            assert len(alt) >= 20 and (path.parent / link).is_file(), f"{path.name}: {link}"
