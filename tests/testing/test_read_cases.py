"""Faults of files of cases: each at its line and column, under the code of a document's fault."""

from __future__ import annotations

import pytest

from loopstep.testing.read_cases import read_cases


def faults(text: str) -> list[tuple[str, int, int]]:
    return [(each.code, each.line, each.column) for each in read_cases(text.encode()).diagnostics]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("runs: []", ("document.invalid_value", 1, 7)),
        ("run: []", ("document.unknown_field", 1, 1)),
        ("[1]", ("document.invalid_value", 1, 1)),
        ("runs: [1]", ("document.invalid_value", 1, 8)),
        ("runs: [", ("document.syntax", 1, 7)),
        ("runs:\n  - inputs: {}", ("document.unknown_field", 2, 5)),
        ("runs:\n  - status: fine", ("document.invalid_value", 2, 13)),
        ("runs:\n  - steps: [{approve: true}]", ("document.unknown_field", 2, 14)),
        ("runs:\n  - steps: [{approval: {decision: yes}}]", ("document.invalid_value", 2, 35)),
        ("runs:\n  - steps: [{approval: {}}]", ("document.missing_field", 2, 24)),
        ("runs:\n  - steps: [{callback: {}}]", ("document.invalid_value", 2, 24)),
        ("runs:\n  - steps: [{callback: {error: {}}}]", ("document.missing_field", 2, 32)),
        ("runs:\n  - steps: [{cancel: true, redrive: true}]", ("document.invalid_value", 2, 13)),
        ("runs:\n  - steps: [{cancel: true, after: soon}]", ("document.invalid_value", 2, 35)),
        ("runs:\n  - steps: [{cancel: 1}]", ("document.invalid_value", 2, 22)),
        ("runs:\n  - steps: [{cancel: true, expectStatus: x}]", ("document.invalid_value", 2, 42)),
        ("runs:\n  - models: {n: 3}", ("document.invalid_value", 2, 17)),
        ("runs:\n  - models: {n-n: x}", ("document.invalid_value", 2, 14)),
        ("runs:\n  - models: {n: {match: x}}", ("document.missing_field", 2, 17)),
        ("runs:\n  - models: {n: {error: gone}}", ("document.invalid_value", 2, 25)),
        ("runs:\n  - models: {n: {branch: -1}}", ("document.invalid_value", 2, 26)),
        ("runs:\n  - models: {n: {toolCalls: [{}]}}", ("document.missing_field", 2, 30)),
        ("runs:\n  - models: {n: {reply: x, delay: 3}}", ("document.invalid_value", 2, 35)),
        ("runs:\n  - output: {a: {$contain: x}}", ("document.unknown_field", 2, 18)),
        ("runs:\n  - output: {a: {$matches: '('}}", ("document.invalid_value", 2, 28)),
        ("runs:\n  - output: {a: {$any: 1}}", ("document.invalid_value", 2, 24)),
        ("runs:\n  - messages: [{scope: x}]", ("document.missing_field", 2, 16)),
        ("runs:\n  - activations: {a: -1}", ("document.invalid_value", 2, 22)),
        ("runs:\n  - path: {}", ("document.invalid_value", 2, 11)),
        ("runs:\n  - startedAt: today", ("document.invalid_value", 2, 16)),
        ("runs:\n  - {rejected: [/a], output: {}}", ("document.invalid_value", 2, 6)),
        ("runs:\n  - files: {a: 1}", ("document.invalid_value", 2, 16)),
        ("register: {agent: {}}\nruns: [{}]", ("document.unknown_field", 1, 12)),
        ("register: {agents: {a: {}}}\nruns: [{}]", ("document.missing_field", 1, 24)),
        ("register: {sources: {a: {kind: X}}}\nruns: [{}]", ("document.invalid_value", 1, 32)),
        ("register: {agents: {'a b': {}}}\nruns: [{}]", ("document.invalid_value", 1, 21)),
    ],
)
def test_a_fault(text: str, found: tuple[str, int, int]) -> None:
    assert found in faults(text)


def test_nothing_to_say_of_a_good_file() -> None:
    read = read_cases(b"runs: [{input: {a: 1}, output: {a: {$any: true}}}]")
    assert read.diagnostics == () and read.cases is not None
    assert [case.name for case in read.cases.runs] == ["case 1"]
