"""SARIF 2.1.0: what the standard requires, and fingerprints that outlive an edit above."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopstep.diagnostics.diagnostic import Diagnostic, Related
from loopstep.diagnostics.sarif import sarif

RELATED = Related("first here", "/state", 1, 1, 1, 6)
FAULT = Diagnostic("schema.invalid", "error", "no such type", "/a/b", 2, 3, 2, 6, "try integer", (RELATED,))
WARNING = Diagnostic("edge.no_default", "warning", "no default", "", 1, 1, 1, 2)


def test_structure() -> None:
    document = sarif({"plans/my plan.yaml": [FAULT, WARNING]}, {"plans/my plan.yaml": b"x\ny\n"})
    assert json.loads(json.dumps(document)) == document
    assert document["version"] == "2.1.0" and document["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["edge.no_default", "schema.invalid"]
    for rule in rules:
        assert rule["help"]["text"] and "```yaml" in rule["help"]["markdown"] and rule["shortDescription"]["text"]
    first, second = run["results"]
    assert first["ruleId"] == "schema.invalid" and rules[first["ruleIndex"]]["id"] == "schema.invalid"
    assert (first["level"], second["level"]) == ("error", "warning")
    assert "try integer" in first["message"]["text"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "plans/my%20plan.yaml"
    assert place["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 6}
    assert first["relatedLocations"][0]["message"]["text"] == "first here"
    assert run["columnKind"] == "unicodeCodePoints"


def fingerprints(source: str, *diagnostics: Diagnostic) -> list[str]:
    results = sarif({"f": diagnostics}, {"f": source})["runs"][0]["results"]
    return [next(iter(result["partialFingerprints"].values())) for result in results]


def moved(line: int) -> Diagnostic:
    return Diagnostic("schema.invalid", "error", "m", "/a", line, 1, line, 2)


def test_fingerprints_follow_the_line_and_tell_twins_apart() -> None:
    assert fingerprints("a: 1\n", moved(1)) == fingerprints("# new\n\n  a: 1\n", moved(3))
    twins = fingerprints("a: 1\na: 1\n", moved(1), moved(2))
    assert len(set(twins)) == 2
    assert fingerprints("a: 1\n", moved(1)) != fingerprints("b: 1\n", moved(1))


def test_paths_are_relative_where_they_can_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    def uri(file: str) -> str:
        result = sarif({file: [WARNING]})["runs"][0]["results"][0]
        return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])

    assert uri(str(tmp_path / "a" / "b.yaml")) == uri("a/b.yaml") == uri("./a/../a/b.yaml") == "a/b.yaml"
    assert uri(str(tmp_path.parent / "c.yaml")).startswith("file:///")
    assert uri("-") == "stdin"


def test_no_faults_are_a_run_without_results() -> None:
    (run,) = sarif({"f": []})["runs"]
    assert run["results"] == [] and run["tool"]["driver"]["rules"] == []
