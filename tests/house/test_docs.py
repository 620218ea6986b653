"""The docs are true: what is generated is current, plans compile, links lead somewhere, lists are complete."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import DOCS, ROOT, pages
from docs.pictures import PICTURES, pictures
from loopstep.cli.main import COMMANDS
from loopstep.compiler.compile import compile
from tests.registered import EVERYTHING

TEXTS = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
PLAN = re.compile(r"^```yaml plan\n(.*?)^```", re.S | re.M)
YAML = re.compile(r"^```yaml[^\n]*\n(.*?)^```", re.S | re.M)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")


LOOPSTEP = [sys.executable, "-c", "from loopstep.cli.main import main; main()"]


def blocks() -> list[tuple[str, int, str]]:
    """Every whole plan of the docs: file, line, text. In the README all YAML is."""
    return [
        (path.relative_to(ROOT).as_posix(), text.count("\n", 0, match.start()) + 2, match[1])
        for path in TEXTS
        for text in [path.read_text(encoding="utf-8")]
        for match in (YAML if path.parent == ROOT else PLAN).finditer(text)
    ]


def test_generated_pages_are_current() -> None:
    made = pages()
    stale = [path.name for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make golden`"
    folders = [*(DOCS / "diagnostics").glob("*.md"), *(DOCS / "nodes").glob("*.md")]
    assert set(folders) <= set(made), "a page of something that is gone"


def test_pictures_are_current() -> None:
    made = pictures()
    stale = [path.name for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make golden`"
    taken = set(PICTURES.glob("console-*.png"))  # of the console, in a browser
    assert set(PICTURES.iterdir()) == set(made) | taken, "a picture of something that is gone"
    shown = {link for path in TEXTS for link in LINK.findall(path.read_text(encoding="utf-8"))}
    assert {path.name for path in {*made, *taken}} <= {link.rpartition("/")[2] for link in shown}, (
        "a picture that no page shows"
    )


@pytest.mark.parametrize(("file", "line", "text"), blocks(), ids=lambda value: str(value)[:60].split("\n")[0])
def test_plans_compile_without_a_word(file: str, line: int, text: str) -> None:
    assert [each.to_json() for each in compile(text, None, EVERYTHING).diagnostics] == []


def test_the_docs_have_plans() -> None:
    assert {"README.md", "docs/language.md", "docs/tour.md"} <= {file for file, _, _ in blocks()}


def test_the_plan_of_the_tour_is_the_example() -> None:
    example = (ROOT / "examples" / "refund.yaml").read_text(encoding="utf-8")
    assert example in [text for file, _, text in blocks() if file == "docs/tour.md"]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for link in LINK.findall(re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)):
        file, _, anchor = link.partition("#")
        if link.startswith(("https://", "http://")):
            continue
        target = (path.parent / file) if file else path
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


def _anchors(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_is_found_from_the_index() -> None:
    reached: set[Path] = set()
    open_ = [DOCS / "index.md"]
    while open_:
        page = open_.pop().resolve()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        open_.extend(page.parent / link.partition("#")[0] for link in LINK.findall(text) if "//" not in link)
    assert {path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md")} - {
        path.relative_to(ROOT).as_posix() for path in reached if path.is_relative_to(DOCS)
    } == set()


def test_the_command_line_page_names_every_command() -> None:
    named = set(re.findall(r"^\| `loopstep ([a-z-]+)", (DOCS / "cli.md").read_text(encoding="utf-8"), re.M))
    assert named == set(COMMANDS)


def test_the_api_page_names_every_route() -> None:
    openapi = json.loads((ROOT / "layers/loopstep/python/loopstep/api/openapi.json").read_text(encoding="utf-8"))
    routes = {(method.upper(), path) for path, item in openapi["paths"].items() for method in item}
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| (GET|PUT|POST|DELETE) \| `([^`?]+)", text, re.M))
    named.discard(("GET", "/openapi.json"))
    assert named == {route for route in routes if route[1] != "/openapi.json"}


def test_the_command_line_page_shows_what_the_commands_say() -> None:
    for block in CONSOLE.findall((DOCS / "cli.md").read_text(encoding="utf-8")):
        for command, said in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, re.M):
            line = command.replace("| loopstep ", f"| {shlex.join(LOOPSTEP)} ")
            done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60, check=True)
            assert done.stdout == said, command


def test_every_decision_says_what_it_has_to() -> None:
    for path in (DOCS / "decisions").glob("*.md"):
        if path.name != "index.md":
            heads = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.M)
            assert heads == ["Context", "Decision", "Consequences"], path.name
