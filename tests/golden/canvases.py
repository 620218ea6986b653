"""The plans that the canvas documents of `examples/canvas` lower to, kept as YAML in `canvas/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loopstep.canvas.lower import import_canvas

ROOT = Path(__file__).resolve().parents[2]
CANVASES = {
    path: ROOT / "tests" / "golden" / "canvas" / f"{path.stem}.yaml"
    for path in sorted((ROOT / "examples" / "canvas").glob("*.json"))
}


def text_of(canvas: Path) -> str:
    imported = import_canvas(canvas.read_bytes())
    assert imported.plan is not None, [diagnostic.to_json() for diagnostic in imported.diagnostics]
    return imported.text


def written() -> Iterator[Path]:
    """Writes every kept plan anew (`make golden`)."""
    for canvas, golden in CANVASES.items():
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text_of(canvas), encoding="utf-8")
        yield golden


if __name__ == "__main__":
    for path in written():
        print(path.relative_to(ROOT))
