"""The working directory of a run, as its nodes see it: by safe paths only, and without what `.agentignore` names.

Paths come from documents, variables and models, so every one is checked here and none is believed (CANVAS §3.7, §4.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn
from unicodedata import normalize

from loopstep.gateways.files import Caps, File, Files
from loopstep.runtime.ignore_rules import ignore_rules
from loopstep.types.forms import is_directory_path, is_relative_path, normal_path

IGNORE_FILE = ".agentignore"
IGNORE_BYTES = 64 * 1024  # of the ignore file

Paths = list[str]
Listing = list[File]


class FileFault(Exception):
    """A file that cannot be had or written; the text is a sentence for who asked, and may name the path."""


class UnsafePath(FileFault):
    """No path of a file inside the directory."""


class NameTaken(UnsafePath):
    """The path would make a file of a directory, or a directory of a file."""


class NoSuchFile(FileFault):
    """Nothing is there, or nothing that may be seen."""


class Ignored(NoSuchFile):
    """`.agentignore` keeps the nodes away from this path."""


class TooLarge(FileFault):
    """More bytes or more files than there may be."""


class NotText(FileFault):
    """The bytes are no UTF-8 text."""


class WorkingDirectory:
    """The files of one run. Whoever asks sees the directory as it is at that moment.

    Files that the root's `.agentignore` names (gitignore rules), and that file itself, are not there for nodes: they
    are neither listed nor read nor written. One that is too large to be read keeps everything away.

    Two links that were given before either was used can make a name both a file and a directory: the directory is
    there then, the file is not.
    """

    def __init__(self, files: Files, run: str) -> None:
        self._files, self._run = files, run

    def list(self) -> Paths:
        """Return the paths, sorted by code point. Raises TooLarge for an ignore file that is too large to be read."""
        listing = self._files.listing(self._run)
        rules = self._rules(_ignore_file(listing))
        directories = _directories(listing)
        return [each.path for each in listing if not rules(each.path) and each.path not in directories]

    def read(self, path: str, limit: int) -> str:
        """Return a file's text of at most `limit` bytes. Raises UnsafePath, NoSuchFile, TooLarge, NotText."""
        place = safe_path(path)
        listing = self._files.listing(self._run)
        found = _file(listing, place)
        if found is None or self._rules(_ignore_file(listing))(place):
            raise NoSuchFile(f"there is no file {place}")
        return _text(self._body(found, limit), place)

    def write(self, path: str, text: str) -> None:
        """Write a file, in place of what stands there. Raises UnsafePath, Ignored, TooLarge, NotText."""
        place = safe_path(path)
        body = _bytes(text, place)
        listing = self._files.listing(self._run)
        if self._rules(_ignore_file(listing))(place):
            raise Ignored(f"{place} is not to be written: {IGNORE_FILE} names it")
        admit(listing, place, len(body), self._files.caps)
        self._files.write(self._run, place, body)

    def has_file(self, path: str) -> bool:
        """Whether a file stands there, an ignored one too."""
        return is_relative_path(path) and _file(self._files.listing(self._run), normal_path(path)) is not None

    def has_directory(self, path: str) -> bool:
        """Whether files stand below it, ignored ones too; the directory itself is always there."""
        if not is_directory_path(path):
            return False
        place = normal_path(path)
        return not place or any(each.path.startswith(f"{place}/") for each in self._files.listing(self._run))

    def _rules(self, ignore_file: File | None) -> Callable[[str], bool]:
        if ignore_file is None:
            return lambda place: place == IGNORE_FILE
        text = self._body(ignore_file, IGNORE_BYTES).decode("utf-8", "replace")
        rules = ignore_rules(normalize("NFC", text))  # as paths are
        return lambda place: place == IGNORE_FILE or rules(place)

    def _body(self, found: File, limit: int) -> bytes:
        """The bytes of a file; read one further than allowed, since it can grow between being found and being read."""
        try:
            body = b"" if not found.bytes else self._files.read(self._run, found.path, min(found.bytes, limit) + 1)
        except KeyError:
            raise NoSuchFile(f"{found.path} was taken away") from None
        if max(found.bytes, len(body)) > limit:
            raise TooLarge(f"{found.path} has {max(found.bytes, len(body))} bytes, at most {limit} can be read")
        return body


def safe_path(path: str) -> str:
    """The one spelling of a path of a file inside a working directory. Raises UnsafePath."""
    if not isinstance(path, str) or not is_relative_path(path):
        raise UnsafePath("this is no safe relative path, such as docs/report.md")
    return normal_path(path)


def admit(listing: Iterable[File], place: str, size: int, caps: Caps) -> None:
    """Whether a file of `size` bytes may come to stand at a safe path beside these. Raises TooLarge, UnsafePath.

    A name is a file or a directory, never both. Two writers at a time can each be admitted: the caps then hold but for
    what was under way.
    """
    others = [each for each in listing if each.path != place]
    if size > caps.file_bytes:
        _too_large(f"{place} would have {size} bytes, a file may have {caps.file_bytes}")
    if len(others) >= caps.files:
        _too_large(f"the directory has {len(others)} files already, it may have {caps.files}")
    if (total := sum(each.bytes for each in others) + size) > caps.run_bytes:
        _too_large(f"the directory would have {total} bytes, it may have {caps.run_bytes}")
    if place == IGNORE_FILE and size > IGNORE_BYTES:
        _too_large(f"{place} would have {size} bytes, it may have {IGNORE_BYTES}")
    for each in others:
        if each.path.startswith(f"{place}/") or place.startswith(f"{each.path}/"):
            raise NameTaken(
                f"{place} cannot be there: a name would be both a file and a directory"
            )  # an ignored one too


def _directories(listing: Iterable[File]) -> set[str]:
    found: set[str] = set()
    for each in listing:
        place = each.path.rpartition("/")[0]
        while place and place not in found:
            found.add(place)
            place = place.rpartition("/")[0]
    return found


def _file(listing: Listing, place: str) -> File | None:
    """The file at that path, None where there is none or a directory."""
    if any(each.path.startswith(f"{place}/") for each in listing):
        return None
    return next((each for each in listing if each.path == place), None)


def _ignore_file(listing: Listing) -> File | None:
    """Its rules hold, whatever stands below its name."""
    return next((each for each in listing if each.path == IGNORE_FILE), None)


def _too_large(sentence: str) -> NoReturn:
    raise TooLarge(sentence)


def _text(body: bytes, place: str) -> str:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise NotText(f"{place} is no UTF-8 text") from None
    if "\0" in text:
        raise NotText(f"{place} is no text")
    return text


def _bytes(text: str, place: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotText(f"the text for {place} cannot be written as UTF-8") from None
