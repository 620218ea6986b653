"""(g) What is uploaded: every function and every layer, zipped."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure, Measurement
from tests.bench.processes import ROOT

TITLE = "zipped size of every function and layer, as `sam build` leaves them (functions: as they stand)"
BUILT = (ROOT / ".local" / "build", ROOT / ".aws-sam" / "build")
LAYERS = {"loopstep": "LoopstepLayer", "dependencies": "DependenciesLayer"}
NO_BYTECODE = "without bytecode: not built here, `loopstep up` or `sam build` does it"


def measure(rounds: int = 1) -> Measurement:
    """Exact, so `rounds` does not matter. A dependency layer that was never built here is left out, with a note."""
    figures, notes = [], []
    for layer, resource in LAYERS.items():
        built = next((folder / resource for folder in BUILT if (folder / resource / "python").is_dir()), None)
        source = built or ROOT / "layers" / layer
        if not (source / "python").is_dir():
            notes.append(f"layer {layer}: not built here")
            continue
        if built is None:
            notes.append(f"layer {layer}: {NO_BYTECODE}")
        figures.append(_size(f"layer {layer}", source, bytecode=built is not None))
    functions = sorted(path.parent for path in (ROOT / "functions").glob("*/handler.py"))
    figures += [_size(f"function {folder.name}", folder, bytecode=False) for folder in functions]
    medians = {f"{figure.name}, bytes": figure.value * 1024 for figure in figures}
    return Measurement("sizes", TITLE, tuple(figures), medians, rounds, tuple(notes))


def _size(name: str, folder: Path, bytecode: bool) -> Figure:
    return Figure(name, zipped(folder, bytecode) / 1024, "KiB")


def zipped(folder: Path, bytecode: bool) -> int:
    """Bytes of a zip of a folder; the same for equal folders."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_files(folder, bytecode)):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())  # without a date
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.tell()


def _files(folder: Path, bytecode: bool) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and (bytecode or path.suffix != ".pyc"):
            yield path
