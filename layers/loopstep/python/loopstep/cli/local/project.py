"""Where a project and its local cloud keep things. Any folder inside the project will do as the current one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from loopstep.cli import outcome

INSTANCE = "LOOPSTEP_INSTANCE"  # a second local cloud beside the usual one, as `make test` runs it

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")  # of a folder, whatever the file system, and of no other place


@dataclass(frozen=True, slots=True)
class Project:
    """The folder with template.yaml, and the name of one local cloud in it ("" is the usual one)."""

    root: Path
    instance: str = ""

    @property
    def local(self) -> Path:
        """What all local clouds of the project share: environments, builds."""
        return self.root / ".local"

    @property
    def home(self) -> Path:
        """What belongs to this local cloud alone: state, logs, data."""
        return self.clouds / self.instance if self.instance else self.local

    @property
    def clouds(self) -> Path:
        """The homes of all local clouds but the usual one."""
        return self.local / "clouds"

    def others(self) -> list[Project]:
        """The project's other local clouds, as far as they have left anything."""
        names = {folder.name for folder in self.clouds.iterdir() if folder.is_dir()} if self.clouds.is_dir() else set()
        return [Project(self.root, name) for name in sorted(names | {""}) if name != self.instance]

    @property
    def state_file(self) -> Path:
        return self.home / "state.json"

    @property
    def logs(self) -> Path:
        return self.home / "log"

    @property
    def scratch(self) -> Path:
        return self.home / "tmp"

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def build(self) -> Path:
        return self.local / "build"

    @property
    def build_cache(self) -> Path:
        return self.local / "build-cache"

    def environment(self, name: str) -> Path:
        """The folder of a virtual environment: "emulator" or "sam"."""
        return self.local / name

    def python(self, name: str) -> Path:
        """The interpreter of that environment."""
        return self.environment(name) / "bin" / "python"


def find(start: Path | None = None) -> Project | None:
    """The project around a folder (default: the current one), None where there is none. Raises Failure for a name."""
    instance = _instance()
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "template.yaml").is_file() and (folder / "layers" / "loopstep").is_dir():
            return Project(folder, instance)
    return None


def need(otherwise: str = "") -> Project:
    """The project around the current folder. Raises Failure where there is none; `otherwise` is one more way out."""
    project = find()
    if project is None:
        raise outcome.Failure(
            "no loopstep project here or above",
            outcome.USAGE,
            f"Go to the folder that holds template.yaml, or below it. {otherwise}".rstrip(),
        )
    return project


def _instance() -> str:
    name = os.environ.get(INSTANCE, "")
    if name and not _NAME.fullmatch(name):
        raise outcome.Failure(
            f"{INSTANCE} is no name of a local cloud: {name}",
            outcome.USAGE,
            "It has 1 to 32 letters, digits, _ and - of ASCII.",
        )
    return name
