"""Literals of a plan are data in its definition: they come back as they were, and nothing takes them for its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopstep.compiler.emit import definition_text
from loopstep.runtime.spec import read_json
from tests.golden.definitions import PLANS, ROOT, definition_of

HERE = ROOT / "tests" / "golden" / "plans"


def strings(data: Any) -> Iterator[str]:
    """Every string of JSON data, keys included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from strings(value)


def states(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every state, those of regions by themselves."""
    for state in machine["States"].values():
        inner = [*state.pop("Branches", ()), state.pop("ItemProcessor", {"States": {}})]
        yield state
        for each in inner:
            yield from states(each)


def specs(definition: dict[str, Any]) -> dict[str, Any]:
    """The specs by state, read as a function reads them."""
    payloads = {name: state.get("Arguments", {}).get("Payload", {}) for name, state in definition["States"].items()}
    return {name: read_json(payload["spec"]) for name, payload in payloads.items() if "spec" in payload}


def test_hostile_literals_come_back() -> None:
    document = yaml.safe_load((HERE / "hostile.yaml").read_text(encoding="utf-8"))
    nodes = {node["id"]: node for node in document["graph"]["nodes"]}
    found = specs(definition_of(HERE / "hostile.yaml"))
    text, data = (each["value"]["value"] for each in nodes["keep"]["setVariable"]["assignments"])
    assert found["keep"]["set"] == [[["text"], text], [["data"], ["lit", data]]]
    assert found["keep"]["input"]["choice"]["enum"] == document["input"]["choice"]["enum"]
    assert found["tell"]["scope"] == nodes["tell"]["sendMessage"]["scope"]["value"]


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
def test_only_our_own_strings_are_alive(plan: Path) -> None:
    for state in states(definition_of(plan)):
        payload = state.get("Arguments", {}).get("Payload", {})
        if "spec" in payload:
            spec = payload.pop("spec")
            assert spec.startswith("{'") and "${" not in spec and "\n" not in spec
            assert re.fullmatch(".+", spec), "a character that ends a line for a regular expression"
        if state["Type"] == "Fail":
            state.pop("Error")
        for text in strings(state):
            assert "\\u" not in text
            if "${" in text:
                assert text == "${ValuesBucket}" or text == state["Arguments"]["FunctionName"]
                assert re.fullmatch(r"\$\{[A-Za-z]+\}", text)
            if text.startswith("{%"):
                assert re.match(r"\{% [(\[]*(\$not\()?[(]*(0\.\.\()?(\$states|true|false)", text), text


def test_failure_codes_are_texts() -> None:
    errors = {
        state["Error"]
        for plan in PLANS
        for state in definition_of(plan)["States"].values()
        if state["Type"] == "Fail" and state["Error"] != "{% $states.input.code %}"
    }
    assert {'{% "$.Error" %}', '{% "拒绝:{%x%}" %}', "n.refused"} <= errors
    assert all(re.fullmatch(r'[A-Za-z_][A-Za-z0-9_.]*|\{% ".*" %\}', error) for error in errors)


def test_names_in_any_script_stand_as_they_are() -> None:
    definition = definition_of(HERE / "unicode.yaml")
    text = definition["States"]["take"]["Arguments"]["Payload"]["spec"]
    assert "客户名称" in text and "größe" in text and "🙂" in definition_text(definition)
    assert specs(definition)["done"]["in"]["short"] == {"结果": "短🙂 \u2028 名"}
