"""`make lock`: dev.txt, audit.txt and docs.txt anew, from their top-level pins. emulator.txt and sam.txt are pinned by
hand: what the emulator is, the tests rest on.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
AUDIT = ["cfn-lint==1.58.0", "cfn-lint-serverless==0.3.6", "checkov==3.3.30", "detect-secrets==1.5.0"]
DOCS = ["zensical==0.0.73"]


def main() -> None:
    """Resolve each in a fresh environment; the comment at a file's head stays."""
    for name, top in {"dev": development(), "audit": AUDIT, "docs": DOCS}.items():
        file = HERE / f"{name}.txt"
        head = [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        file.write_text("\n".join([*head, *resolved(top)]) + "\n", encoding="utf-8")
        print(file.name)


def development() -> list[str]:
    """The top-level pins of .venv, its build backend included."""
    with (HERE.parent / "pyproject.toml").open("rb") as file:
        data = tomllib.load(file)
    project = data["project"]
    optional = [pin for pins in project["optional-dependencies"].values() for pin in pins]
    return [*data["build-system"]["requires"], *project["dependencies"], *optional]


def resolved(top: list[str]) -> list[str]:
    """Every package that these need, as pip freezes them."""
    with tempfile.TemporaryDirectory() as folder:
        python = str(Path(folder, "bin", "python"))
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([*pip, "install", "-q", *top], check=True)
        frozen = subprocess.run(
            [*pip, "freeze", "--all", "--exclude", "pip"], check=True, capture_output=True, text=True
        )
    own = [line for line in frozen.stdout.split() if not line.startswith("setuptools==") or line in top]
    return sorted(own, key=str.lower)  # a fresh environment may bring a setuptools that nobody asked for


if __name__ == "__main__":
    main()
