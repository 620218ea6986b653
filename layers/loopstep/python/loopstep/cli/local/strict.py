"""The launcher behind `loopstep up --strict`: the pinned emulator with rules of AWS that it leaves out.

A script, run by the interpreter of the emulator's own environment: `python strict.py ministack`. It imports nothing of
loopstep but `aws_rules` beside it, which imports nothing of loopstep either. Each rule is one replaced function of the
emulator; the version and every replaced place are asserted first, so another version stops here with a message instead
of running half patched.
"""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version

EMULATOR = "ministack"
VERSION = "1.5.33"
RULES = ("requests", "data", "walk", "functions", "events")


def main() -> None:
    """Patch, then hand over to the emulator's own main."""
    if sys.argv[1:] != [EMULATOR]:
        sys.exit(f"usage: python strict.py {EMULATOR}")
    check_version()
    apply_rules()
    del sys.path[0], sys.argv[1:]  # the folder of this script is not the emulator's to import from
    importlib.import_module("ministack.app").main()


def check_version() -> None:
    """The patches fit one version of the emulator and no other."""
    found = version(EMULATOR)
    if found != VERSION:
        sys.exit(
            f"{EMULATOR} {found} is installed, but the rules of AWS are written for {VERSION}: read them again first"
        )


def apply_rules() -> None:
    """Every rule, package by package. Exits where the emulator does not look as expected."""
    emulated = importlib.import_module("aws_rules.emulated")
    try:
        for name in RULES:
            importlib.import_module(f"aws_rules.{name}").apply()
    except emulated.UnexpectedEmulator as difference:
        sys.exit(f"{EMULATOR} {VERSION} does not look as expected: {difference}")


if __name__ == "__main__":
    main()
