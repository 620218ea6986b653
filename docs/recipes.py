"""The pages of docs/cookbook: written by hand, but for the plan in each, which is its file of examples/cookbook.

A page names its recipe in a comment, `<!-- recipe: race -->`; the block behind it is the file's text.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
FILES = DOCS.parent / "examples" / "cookbook"
BLOCK = re.compile(r"(<!-- recipe: (\w+) -->\n\n)```yaml plan\n.*?^```", re.S | re.M)


def recipe_pages() -> dict[Path, str]:
    """Every page with a recipe in it, as it has to be."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((DOCS / "cookbook").glob("*.md"))}
    return {path: BLOCK.sub(_filled, text) for path, text in pages.items() if BLOCK.search(text)}


def recipe_files() -> dict[str, Path]:
    """The plans of the cookbook by the name of their recipe."""
    return {path.stem: path for path in sorted(FILES.glob("*.yaml")) if "." not in path.stem}


def _filled(match: re.Match[str]) -> str:
    text = (FILES / f"{match[2]}.yaml").read_text(encoding="utf-8")
    return f"{match[1]}```yaml plan\n{text.rstrip()}\n```"
