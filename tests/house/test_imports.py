"""The packages stand on a ladder and nothing imports upwards; third parties are let in at few doors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.house.modules import Import, Module, module_of, modules

# What each package may import. The compiler and the runtime never meet, the stores know no rule of the language.
LADDER = {
    "source": set(),
    "diagnostics": {"source"},
    "types": {"diagnostics"},
    "convert": {"types"},
    "expressions": {"convert", "types", "diagnostics"},
    "nodes": {"expressions", "convert", "types"},
    "compiler": {"nodes", "expressions", "convert", "types", "diagnostics", "source"},
    "schema": {"compiler", "nodes", "convert", "types"},
    "canvas": {"compiler", "nodes", "convert", "types", "diagnostics", "source"},
    "editor": {
        *("schema", "canvas", "compiler", "nodes", "expressions", "convert", "types", "diagnostics", "source"),
    },
    "lsp": {"editor", "compiler", "types", "diagnostics", "source"},
    "costs": {"compiler"},
    "drawing": set(),
    "console": {"drawing"},
    "gateways": {"types"},
    "access": set(),
    "runs": {"access", "gateways", "types"},
    "plans": {"access", "gateways", "types"},
    "registry": {"access", "gateways", "types"},
    "knowledge": {"gateways", "types"},
    "schedules": set(),
    "triggers": set(),
    "runtime": {"access", "runs", "registry", "knowledge", "gateways", "expressions", "convert", "types"},
    "services": {
        *("canvas", "compiler", "drawing", "runtime", "runs", "plans", "registry", "knowledge", "gateways"),
        *("schedules", "triggers", "access"),
        *("nodes", "expressions", "types", "diagnostics", "source"),
    },
    "api": {
        "access",
        "console",
        "services",
        "plans",
        "registry",
        "knowledge",
        "schedules",
        "triggers",
        "runs",
        "gateways",
        "types",
    },
    "comparing": {"compiler", "expressions", "types"},
    "testing": {
        *("services", "runtime", "runs", "plans", "registry", "knowledge", "gateways", "compiler", "types"),
        *("diagnostics", "source"),
    },
    "cli": {
        "access",
        *("testing", "comparing"),
        *("services", "drawing", "costs", "canvas", "schema", "editor", "lsp", "compiler", "expressions", "convert"),
        *("types", "diagnostics", "source", "runs", "nodes", "schedules"),
    },
    "functions": {"access", "api", "services", "runtime", "runs", "plans", "registry", "gateways"},
}

# Wrong arrows that are right for a reason: (module, imported module) → the reason.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("loopstep.cli.code_page", "loopstep.runtime.error_pages"): "texts for people, which nothing at run time loads",
}

# Who may import a third party: packages and single modules. What is not listed may not be imported at all.
DOORS = {
    "boto3": {"functions", "loopstep.cli.local.stack"},
    "botocore": {"gateways", "runs", "plans", "testing", "functions", "loopstep.cli.local.stack"},
    "jsonata": {"testing"},
    "yaml": {"source"},
    "jwt": {"loopstep.gateways.tokens"},
    "pydantic": {"api"},
    "aws_lambda_powertools": {"api", "functions"},
    "click": {"cli"},
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
}


def packages() -> list[str]:
    return sorted({module.package for module in modules()} - {"loopstep"})


def test_every_package_stands_on_the_ladder() -> None:
    assert packages() == sorted(LADDER)


def test_the_ladder_has_no_circle() -> None:
    above: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in above:
            above[name] = set()
            above[name] = set(LADDER[name]).union(*(reach(each) for each in LADDER[name]))
        return above[name]

    assert [name for name in LADDER if name in reach(name)] == []
    assert "runtime" not in reach("compiler") and "compiler" not in reach("runtime")


@pytest.mark.parametrize("package", packages())
def test_nothing_imports_upwards(package: str) -> None:
    """Imports inside functions count; those for the type checker alone as well, they are arrows of the design."""
    wrong = [
        f"{module.name}:{each.line} imports {each.name}"
        for module in modules()
        if module.package == package
        for each in module.imports
        if not allowed(module, each)
    ]
    assert wrong == []


def allowed(module: Module, each: Import) -> bool:
    parts = each.name.split(".")
    if parts[0] != "loopstep":
        return True
    target = parts[1]
    if target in (module.package, "__version__") or target in LADDER[module.package]:
        return True
    return any(module.name == source and each.name.startswith(name) for source, name in EXCEPTIONS)


def test_exceptions_are_used() -> None:
    used = {
        (module.name, name)
        for module in modules()
        for each in module.imports
        for source, name in EXCEPTIONS
        if module.name == source and each.name.startswith(name)
    }
    assert used == set(EXCEPTIONS)


@pytest.mark.parametrize("third_party", DOORS)
def test_third_parties_come_in_at_their_doors(third_party: str) -> None:
    wrong = [
        f"{module.name}:{each.line}"
        for module in modules()
        for each in module.imports
        if each.name.split(".")[0] == third_party
        and not {module.package, module.name} & DOORS[third_party]
        and not each.typing
    ]
    assert wrong == []


def test_no_other_third_party_is_imported() -> None:

    known = {*sys.stdlib_module_names, *DOORS, "loopstep"}
    found = {(module.name, each.name) for module in modules() for each in module.imports}
    assert sorted(pair for pair in found if pair[1].split(".")[0] not in known) == []


def test_the_compiler_is_loaded_by_one_function_only() -> None:
    """A cold start pays for what its function imports: only compile_plan brings the compiler along."""
    loaded = {name for name in reached("functions.compile_plan.handler") if name.startswith("loopstep.compiler")}
    assert "loopstep.compiler.compile" in loaded
    for module in modules():
        if module.package == "functions" and module.name != "functions.compile_plan.handler":
            heavy = ("loopstep.compiler", "loopstep.canvas", "loopstep.source", "loopstep.nodes", "yaml")
            assert [name for name in reached(module.name) if name.startswith(heavy)] == [], module.name


def reached(name: str) -> set[str]:
    """The modules that importing `name` loads, imports inside functions left out."""
    by_name = {module.name: module for module in modules()}
    found: set[str] = set()
    open_ = [name]
    while open_:
        module = by_name.get(open_.pop())
        if module is None or module.name in found:
            continue
        found.add(module.name)
        for each in module.imports:
            if not each.typing and not each.lazy:
                parts = each.name.split(".")
                open_.extend(".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return found - {name}


def test_a_wrong_arrow_is_seen(tmp_path: Path) -> None:
    """The test itself: lazy imports, relative ones and those under TYPE_CHECKING are found."""
    path = tmp_path / "load.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from typing import TYPE_CHECKING\n"
        "from . import document\n"
        "from ..compiler import parse\n"
        "if TYPE_CHECKING:\n    from loopstep.runtime import turn\n"
        "def f() -> None:\n    import loopstep.api.app\n    from yaml import load\n"
    )
    module = module_of(path, "loopstep.source.load")
    wrong = [(each.name, each.typing, each.lazy) for each in module.imports if not allowed(module, each)]
    assert wrong == [
        ("loopstep.compiler.parse", False, False),
        ("loopstep.runtime.turn", True, False),
        ("loopstep.api.app", False, True),
    ]
    assert ("yaml.load", 9) in [(each.name, each.line) for each in module.imports]
