"""`make docs`: the docs as a site in .local/site, by zensical, from a copy in which every link stays within it.

`python docs/build_site.py [FOLDER]`, by the Python of .local/docs (requirements/docs.txt). A link in docs/ may lead to
a file of the project outside of it: such a file is copied into the site, a page as a page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PAGES = ("SECURITY.md", "CHANGELOG.md")  # of the project's root, pages of the site too
FENCED = re.compile(r"(^```.*?^```$)", re.S | re.M)
LINK = re.compile(r"(\]\()([^)\s#]+)([^)\s]*\))")
ABROAD = re.compile(rb"""(?:url\(|@import\s+)["']?((?:https?:)?//[^"'\s)>]+)""")
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link(?![^>]*rel="?canonical))\b[^>]*(?:src|href)="?((?:https?:)?//[^"\s>]+)"""
)


def main(folder: Path) -> int:
    """Copy, build, look at what was built; the exit code."""
    source = folder / "site-source"
    shutil.rmtree(source, ignore_errors=True)
    copy(source)
    zensical = Path(sys.executable).with_name("zensical")
    done = subprocess.run([str(zensical), "build", "--strict", "--clean"], cwd=source, check=False)
    if done.returncode:
        return done.returncode
    foreign = loaded_from_elsewhere(source / "site")
    for line in foreign:
        print(f"loaded from elsewhere: {line}", file=sys.stderr)
    shutil.rmtree(folder / "site", ignore_errors=True)
    (source / "site").rename(folder / "site")
    print(f"docs: {folder / 'site' / 'index.html'}")
    return 1 if foreign else 0


def copy(source: Path) -> None:
    """What zensical builds: `mkdocs.yml` with the whole navigation, and `docs` with whatever its links lead to."""
    target = source / "docs"
    target.mkdir(parents=True)
    pages = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")}
    pages |= {name: ROOT / name for name in PAGES}
    for place, path in pages.items():
        parts = FENCED.split(path.read_text(encoding="utf-8"))
        text = "".join(_fence(part) if part.startswith("```") else _links(part, path, place, target) for part in parts)
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        (target / place).write_text(text, encoding="utf-8")
    settings = yaml.safe_load((DOCS / "mkdocs.yml").read_text(encoding="utf-8"))
    settings["nav"] = navigation(settings["nav"])
    (source / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")


def navigation(entries: list[Any]) -> list[Any]:
    """The entries with the pages of each folder in its place."""
    return [_entry(each) for each in entries]


def _entry(entry: Any) -> Any:
    if isinstance(entry, dict):
        ((title, inner),) = entry.items()
        if isinstance(inner, list):
            return {title: navigation(inner)}
        return {title: _folder(inner) if inner.endswith("/") else inner}
    return {_title(DOCS / entry / "index.md"): _folder(entry)} if entry.endswith("/") else entry


def _folder(name: str) -> list[str]:
    pages = sorted(path.name for path in (DOCS / name).glob("*.md") if path.name != "index.md")
    return [f"{name}index.md", *(f"{name}{page}" for page in pages)]


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _fence(block: str) -> str:
    """A block as zensical takes it: with the language alone, without the words for the tests."""
    head, _, rest = block.partition("\n")
    return f"{head.partition(' ')[0]}\n{rest}"


def _links(text: str, path: Path, place: str, target: Path) -> str:
    return LINK.sub(lambda match: _moved(match, path, place, target), text)


def _moved(match: re.Match[str], path: Path, place: str, target: Path) -> str:
    """A link as it has to be in the copy; the file that it leads to is there then."""
    link = match[2]
    if "//" in link or link.startswith("mailto:"):
        return match[0]
    file = (path.parent / link).resolve()
    if not file.exists() or ROOT not in file.parents:
        raise SystemExit(f"{path.relative_to(ROOT)}: {link} leads nowhere")
    if file.suffix == ".md" and (DOCS in file.parents or file in [ROOT / name for name in PAGES]):
        return f"{match[1]}{_from(place, file)}{match[3]}"
    if file.is_dir():
        raise SystemExit(f"{path.relative_to(ROOT)}: {link} is a folder, and a site shows none")
    copied = target / (file.relative_to(DOCS) if DOCS in file.parents else Path("files") / file.relative_to(ROOT))
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, copied)
    return f"{match[1]}{os.path.relpath(copied, (target / place).parent)}{match[3]}"


def _from(place: str, file: Path) -> str:
    inside = file.relative_to(DOCS) if DOCS in file.parents else file.relative_to(ROOT)
    return os.path.relpath(inside, Path(place).parent)


def loaded_from_elsewhere(site: Path) -> list[str]:
    """What pages and styles of the site would load from other hosts; links that a reader follows are no such thing."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            hits = LOADED.findall(path.read_text(encoding="utf-8"))
        elif path.suffix in (".css", ".svg"):
            hits = [hit.decode() for hit in ABROAD.findall(path.read_bytes())]
        else:
            continue
        found += [f"{path.relative_to(site)}: {hit}" for hit in hits]
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".local"))
