"""What a git repository holds at a commit, or has in its work tree, read by the `git` command."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from loopstep.cli import outcome

NONE = re.compile(r"0{40,64}|")  # what a forge names the commit before the first one
_SECONDS = 120


class Repository(NamedTuple):
    """The repository of a folder. Paths are relative to its top."""

    top: Path

    @staticmethod
    def of(folder: Path) -> Repository:
        """The one that the folder is in. Raises Failure."""
        return Repository(Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip()))

    def commit(self, name: str, fetch: bool = False) -> str | None:
        """The id of a commit; None for no commit at all. Raises Failure where it is not there.

        `fetch`: ask `origin` for one that is missing, as in the shallow copy that a build server makes.
        """
        if NONE.fullmatch(name):
            return None
        _refuse_option(name)
        try:
            return self._id(name)
        except outcome.Failure:
            if not fetch:
                raise
        _git(self.top, "fetch", "--quiet", "--no-tags", "--depth=1", "origin", name)
        return self._id("FETCH_HEAD")

    def files(self, commit: str | None) -> list[str]:
        """Every file of a commit, None: of the work tree without what is ignored; by name."""
        if commit is None:
            listed = _git(self.top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        else:
            listed = _git(self.top, "ls-tree", "-r", "-z", "--name-only", commit)
        names = {name.decode(errors="surrogateescape") for name in listed.split(b"\0") if name}
        return sorted(name for name in names if commit is not None or (self.top / name).is_file())

    def read(self, commit: str | None, path: str) -> bytes | None:
        """A file of a commit, None: as it is in the work tree. None where it is not there."""
        if commit is None:
            place = self.top / path
            return place.read_bytes() if place.is_file() and not place.is_symlink() else None
        try:
            return _git(self.top, "cat-file", "blob", f"{commit}:{path}")
        except outcome.Failure:
            return None

    def _id(self, name: str) -> str:
        return (
            _git(self.top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            .decode()
            .strip()
        )


def _refuse_option(name: str) -> None:
    if name.startswith("-"):
        raise outcome.Failure(f"`{name}` is no commit", outcome.USAGE)


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, timeout=_SECONDS)  # noqa: S607
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise outcome.Failure(f"git cannot be run: {fault}", outcome.USAGE) from None
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        reason = words[-1] if words else f"`{arguments[-1]}` is not there"
        raise outcome.Failure(f"git {arguments[0]}: {reason}", outcome.USAGE)
    return done.stdout
