"""Files of cases and their plans: found, read, played one case after the other."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loopstep.compiler.compile import compile
from loopstep.diagnostics.diagnostic import Diagnostic, has_errors
from loopstep.services.import_canvas import import_canvas
from loopstep.services.refusals import Unfit
from loopstep.source.document import Mapping
from loopstep.source.load import load
from loopstep.testing.cases import Case, Cases
from loopstep.testing.play import Played, play
from loopstep.testing.read_cases import is_cases, read_cases
from loopstep.testing.stage import Stage
from loopstep.types.forms import is_id

ENDINGS = (".yaml", ".yml", ".json")
CASES = ".cases"

Read = Callable[[Path], bytes]  # raises what the caller wants to hear


class Told(NamedTuple):
    """What there is to say about a document; `refusals`: sentences without a place."""

    file: str
    document: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    refusals: tuple[str, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether it has errors."""
        return bool(self.refusals) or has_errors(self.diagnostics)


class Timed(NamedTuple):
    """A case and the seconds that it took."""

    played: Played
    seconds: float


class Result(NamedTuple):
    """A file of cases. Where something `told` is broken no case was played."""

    file: str
    plan: str
    told: tuple[Told, ...]
    cases: tuple[Timed, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything could be played and came out as expected."""
        return not any(each.broken for each in self.told) and all(each.played.ok for each in self.cases)


class NoCases(Exception):
    """There is no file of cases for what was named; the argument is a sentence."""


def files_of(named: Sequence[str], read: Read, if_any: bool = False) -> Iterator[Path]:
    """The files of cases: those named, those beside plans that are named, those below folders.

    Raises NoCases for what has none, which with `if_any` is passed over.
    """
    for name in named:
        try:
            yield from _files(name, Path(name), read)
        except NoCases:
            if not if_any:
                raise


def _files(name: str, path: Path, read: Read) -> list[Path]:
    if path.is_dir():
        found = sorted(each for each in path.rglob(f"*{CASES}.*") if each.suffix in ENDINGS and each.is_file())
        if not found:
            raise NoCases(f"{name}: there is no file *{CASES}.yaml in it")
        return found
    if path.stem.endswith(CASES) or is_cases(load(read(path))[0]):
        return [path]
    return [_beside(path, f"{path.stem}{CASES}", f"{name}: there is no {path.stem}{CASES}.yaml beside it")]


def run_file(path: Path, read: Read, only: str = "") -> Result:
    """Play the cases of a file, those with the text `only` in their names. Raises NoCases for one without a plan."""
    document = read(path)
    cases, diagnostics = read_cases(document)
    told = Told(str(path), document, diagnostics)
    plan = _plan_of(path, cases)
    if cases is None:
        return Result(str(path), str(plan or ""), (told,))
    if plan is None:
        raise NoCases(f"{path}: there is no plan {_stem(path)}.yaml beside it; name one under `plan`")
    stage = Stage()
    with stage.quiet():
        name, faults = _publish(stage, cases, plan, read(plan), told)
        if any(each.broken for each in faults):
            return Result(str(path), str(plan), faults)
        chosen = [case for case in cases.runs if only in case.name]
        return Result(str(path), str(plan), faults, tuple(_timed(stage, name, cases, case) for case in chosen))


def _timed(stage: Stage, name: str, cases: Cases, case: Case) -> Timed:
    began = time.perf_counter()
    return Timed(play(stage, name, case, cases.models), time.perf_counter() - began)


def _publish(stage: Stage, cases: Cases, plan: Path, document: bytes, told: Told) -> tuple[str, tuple[Told, ...]]:
    """The name of the published plan, and everything said on the way."""
    refusals = []
    for entry in cases.register:
        try:
            stage.put(entry)
        except Unfit as unfit:
            facts = [*unfit.facts.get("diagnostics", ()), *unfit.facts.get("errors", ())]
            reasons = "; ".join(str(each["message"]) for each in facts)
            refusals.append(f"line {entry.span.line}: {entry.kind} {entry.id}: {reasons or unfit.detail}")
    told = told._replace(refusals=tuple(refusals))
    text, found = _text(stage, document)
    compiled = compile(text, None, stage.registry()) if text is not None else None
    about = Told(str(plan), document, compiled.diagnostics if compiled and text is document else ())
    if compiled is None or (text is not document and has_errors(compiled.diagnostics)):
        more = [each.message for each in compiled.diagnostics] if compiled else []
        about = about._replace(refusals=(*found, *more))
    if told.broken or about.broken or compiled is None or compiled.plan is None or text is None:
        return "", (told, about)
    name = compiled.plan.name if is_id(compiled.plan.name) else _id(plan)
    stage.publish(name, text)
    return name, (told, about)


def _text(stage: Stage, document: bytes) -> tuple[bytes | None, list[str]]:
    """The plan of a document, of a canvas what it is lowered to; None where that cannot be, and why."""
    root = load(document)[0]
    if not isinstance(root, Mapping) or "nodes" not in root.entries or "graph" in root.entries:
        return document, []
    imported = import_canvas(document, stage.registry())
    text = imported.get("text")
    why = [f"line {each['line']}: {each['message']}" for each in imported["diagnostics"] if each["severity"] == "error"]
    return (str(text).encode() if text else None), why


def _plan_of(path: Path, cases: Cases | None) -> Path | None:
    if cases is not None and cases.plan is not None:
        return path.parent / cases.plan
    try:
        return _beside(path, _stem(path), "")
    except NoCases:
        return None


def _stem(path: Path) -> str:
    return path.stem.removesuffix(CASES)


def _beside(path: Path, stem: str, otherwise: str) -> Path:
    for ending in ENDINGS:
        found = path.with_name(stem + ending)
        if found.is_file() and found != path:
            return found
    raise NoCases(otherwise)


def _id(path: Path) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", path.stem)[:63]
    return name if is_id(name) else "plan"
