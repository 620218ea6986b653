"""The site of the docs: links stay within it, nothing is loaded from elsewhere. And the cookbook's cases come out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from docs import build_site
from docs.generate import DOCS, ROOT
from docs.recipes import BLOCK, _filled, recipe_files
from loopstep.cli.main import run
from tests.house.test_docs import LINK


def test_the_copy_has_every_page_and_whatever_its_links_lead_to(tmp_path: Path) -> None:
    build_site.copy(tmp_path)
    copied = tmp_path / "docs"
    assert {path.relative_to(DOCS) for path in DOCS.rglob("*.md")} <= {
        path.relative_to(copied) for path in copied.rglob("*.md")
    }
    for path in copied.rglob("*.md"):
        text = build_site.FENCED.sub("", path.read_text(encoding="utf-8"))
        for link in LINK.findall(text):
            if "//" not in link:
                target = (path.parent / link.partition("#")[0]).resolve() if not link.startswith("#") else path
                assert target.is_file() and target.is_relative_to(copied), f"{path.name}: {link}"
    assert (copied / "files/examples/refund.yaml").read_bytes() == (ROOT / "examples/refund.yaml").read_bytes()
    settings = yaml.safe_load((tmp_path / "mkdocs.yml").read_text(encoding="utf-8"))
    assert {"Cookbook": ["cookbook/index.md", *sorted(_recipes())]} in settings["nav"]
    assert "```yaml\napiVersion" in (copied / "tour.md").read_text(encoding="utf-8").replace(
        "# yaml-language-server: $schema=../docs/plan.schema.json\n", ""
    )


def _recipes() -> list[str]:
    return [f"cookbook/{path.name}" for path in (DOCS / "cookbook").glob("*.md") if path.name != "index.md"]


def test_a_link_out_of_the_project_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(build_site, "DOCS", tmp_path)
    (tmp_path / "index.md").write_text("[x](../../etc/passwd)\n", encoding="utf-8")
    monkeypatch.setattr(build_site, "ROOT", tmp_path)
    monkeypatch.setattr(build_site, "PAGES", ())
    with pytest.raises(SystemExit, match="leads nowhere"):
        build_site.copy(tmp_path / "out")


def test_what_is_loaded_from_elsewhere_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">read</a><link rel="stylesheet" href="https://fonts.example.org/f.css">'
        '<link rel="canonical" href="https://example.org/a"><script src=//cdn.example.org/x.js></script>',
        encoding="utf-8",
    )
    (tmp_path / "b.css").write_text("@import 'https://fonts.example.org/g.css'; p{background:url(/own.png)}", "utf-8")
    (tmp_path / "c.svg").write_text("<style>@font-face{src:url('https://cdn.example.org/f.woff')}</style>", "utf-8")
    assert build_site.loaded_from_elsewhere(tmp_path) == [
        "a.html: https://fonts.example.org/f.css",
        "a.html: //cdn.example.org/x.js",
        "b.css: https://fonts.example.org/g.css",
        "c.svg: https://cdn.example.org/f.woff",
    ]


def test_pictures_load_nothing() -> None:
    assert build_site.loaded_from_elsewhere(DOCS / "pictures") == []


def test_the_cases_of_every_recipe_come_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(ROOT / "examples" / "cookbook"), "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {Path(each["file"]).name for each in files} == {f"{name}.cases.yaml" for name in recipe_files()}


def test_a_page_takes_over_its_recipe() -> None:
    filled = BLOCK.sub(_filled, "# A\n\n<!-- recipe: race -->\n\n```yaml plan\nold\n```\n\nrest\n")
    assert filled.endswith("\n```\n\nrest\n") and "old" not in filled
    assert recipe_files()["race"].read_text(encoding="utf-8").rstrip() in filled
