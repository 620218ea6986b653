"""Every module of the product with what it imports, read from its syntax tree: nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "layers" / "loopstep" / "python"
FUNCTIONS = ROOT / "functions"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module; `typing`: for the type checker only, `lazy`: when a function runs."""

    name: str
    line: int
    typing: bool
    lazy: bool


@dataclass(frozen=True, slots=True)
class Module:
    """`name` is the import name, for a handler `functions.<folder>.handler`."""

    name: str
    path: Path
    imports: tuple[Import, ...]

    @property
    def package(self) -> str:
        """The package of the house that it belongs to: `loopstep.source.load` → `source`."""
        parts = self.name.split(".")
        return parts[1] if parts[0] == "loopstep" and len(parts) > 1 else parts[0]


@cache
def modules() -> tuple[Module, ...]:
    """The package and the handlers, by name."""
    found = [module_of(path, ".".join(path.relative_to(SOURCE).with_suffix("").parts)) for path in SOURCE.rglob("*.py")]
    found += [module_of(path, f"functions.{path.parent.name}.{path.stem}") for path in FUNCTIONS.rglob("*.py")]
    return tuple(sorted(found, key=lambda module: module.name))


def module_of(path: Path, name: str) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    package = name.removesuffix(".__init__") if name.endswith(".__init__") else name.rpartition(".")[0]
    return Module(name.removesuffix(".__init__"), path, tuple(_imports(tree, package)))


def _imports(node: ast.AST, package: str, typing: bool = False, lazy: bool = False) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, typing, lazy) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = ".".join(package.split(".")[: len(package.split(".")) + 1 - node.level]) if node.level else ""
        module = ".".join(part for part in (base, node.module) if part)
        # `from loopstep import runs` imports a package, `from loopstep.runs import keys` a module or a name of one
        yield from (Import(f"{module}.{alias.name}", node.lineno, typing, lazy) for alias in node.names)
    elif isinstance(node, ast.If) and _for_typing(node.test):
        for inner in node.body:
            yield from _imports(inner, package, True, lazy)
        for inner in node.orelse:
            yield from _imports(inner, package, typing, lazy)
    else:
        lazy = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, package, typing, lazy)


def _for_typing(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
