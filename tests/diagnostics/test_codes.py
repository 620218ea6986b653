"""The registry: unique, complete, explained, and every example does what its page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from loopstep.compiler.compile import compile
from loopstep.diagnostics.codes import CODES, severity
from loopstep.diagnostics.pages import PAGES
from loopstep.source.load import load

SHOWN_IN_PLANS = [name for name, page in PAGES.items() if page.wrong and page.form == "plan"]
NOT_SHOWN = {"document.too_large", "registry.unknown"} | {
    f"limit.{name}" for name in ("definition_size", "state_size", "nodes", "history")
}
FAMILIES = sorted({name.partition(".")[0] for name in CODES})
AT_RUN_TIME = {
    *(
        "output.contract",
        "state.contract",
        "binding.no_value",
        "expr.range",
        "edge.none_matched",
        "value.too_large",
    ),  # LANGUAGE §9
}


def test_every_code_has_a_title_and_a_page() -> None:
    assert list(CODES) == list(PAGES) and len(CODES) == 52
    assert len({code.title for code in CODES.values()}) == len(CODES)
    for name, code in CODES.items():
        assert code.name == name and re.fullmatch(r"[a-z]+\.[a-z_]+", name)
        assert severity(name) in ("error", "warning")
        assert len(code.page.why) > 60 and code.page.why.endswith(".")
        assert bool(code.page.wrong) == bool(code.page.right) == (name not in NOT_SHOWN)


def test_examples_are_whole_documents() -> None:
    for name, page in PAGES.items():
        for example in filter(None, (page.wrong, page.right)):
            assert not re.search(r"@[0-9]", example), name
            assert load(example)[0] is not None or (name == "document.syntax" and example == page.wrong)


@pytest.mark.parametrize("name", SHOWN_IN_PLANS)
def test_the_wrong_example_yields_the_code_and_the_right_one_nothing(name: str) -> None:
    page = PAGES[name]
    wrong = compile(page.wrong).diagnostics
    assert (name, severity(name)) in [(each.code, each.severity) for each in wrong]
    assert not [(each.code, each.message) for each in compile(page.right).diagnostics]


@pytest.mark.parametrize("name", SHOWN_IN_PLANS)
def test_a_wrong_example_has_that_fault_only(name: str) -> None:
    assert {each.code for each in compile(PAGES[name].wrong).diagnostics} == {name}


def test_the_compiler_reports_only_codes_of_the_registry() -> None:
    package = Path(sys.modules["loopstep"].__path__[0])
    written = re.compile(rf'"((?:{"|".join(FAMILIES)})\.[a-z_]+)"')
    used = {
        code
        for folder in ("source", "compiler", "expressions", "nodes", "canvas")
        for file in (package / folder).glob("*.py")
        for code in written.findall(file.read_text(encoding="utf-8"))
    }
    assert used - set(CODES) - AT_RUN_TIME == set()


def test_a_compile_does_not_load_the_pages() -> None:
    script = (
        "import sys, loopstep.diagnostics.collector, loopstep.diagnostics.codes\n"
        "print('loopstep.diagnostics.pages' in sys.modules)"
    )
    environment = {"PYTHONPATH": str(Path(sys.modules["loopstep"].__path__[0]).parent)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "False"
