"""What cases can say: people, time, models, files, what is registered; and what a report says of what went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conftest import Folder, messages

PLANS = Path(__file__).parent / "plans"
ASK, MODELS, REDRIVE, KNOWLEDGE = (
    (PLANS / f"{name}.yaml").read_text(encoding="utf-8") for name in ("ask", "models", "redrive", "knowledge")
)


def test_people_and_time(folder: Folder) -> None:
    result = folder.played(
        ASK,
        """
        runs:
          - name: approved
            input: {what: it}
            steps:
              - {approval: {decision: approved, by: eve}, expectStatus: 403}
              - {approval: {decision: approved, by: ada}, after: PT59M}
              - {approval: {decision: rejected, by: grace}, expectStatus: 409}
            output: {by: ada}
            state: {by: ada}
            messages: [{scope: desk, text: {$contains: taken}}]
            activations: {ask: 1, keep: 1, no: 0}
            path: [ask, tell, done]
          - name: rejected
            input: {what: it}
            steps: [{approval: {decision: rejected, by: ada}, node: ask}]
            status: failed
            error: {code: refused, nodeId: "no"}
          - name: nobody came
            input: {what: it}
            output: {by: {$matches: "^clo"}}
            messages: []
          - name: too late
            input: {what: it}
            steps: [{approval: {decision: approved, by: ada}}, {approval: {decision: approved, by: ada}, next: true}]
            output: {by: ada}
          - name: cancelled
            input: {what: it}
            steps: [{cancel: true, after: PT1M}, {approval: {decision: approved, by: ada}}]
            status: cancelled
          - name: short
            input: {what: i}
            rejected: [/what]
        """,
    )
    assert messages(result) == [
        [],
        [],
        [],
        ["the step in line 25 found no open approval to answer"],
        ["the step in line 29 found no open approval to answer"],
        [],
    ]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("output: {by: grace}", 'output/by is "clock", not "grace"'),
        ("output: {by: clock, more: 1}", "output/more is (nothing), not 1"),
        ("status: failed", "the run succeeded; failed was expected"),
        ("state: {by: {$contains: z}}", 'state/by is "nobody", not {"$contains": "z"}'),
        ("messages: [{scope: desk, text: hello}]", 'not sent: {"scope": "desk", "text": "hello"}'),
        ("activations: {ask: 2}", "`ask` ran 1 times"),
        ("path: [done, ask]", "`ask` was not reached there: ask → done"),
        ("models: {ask: [hello]}", "nobody asked for answer 1 under models.ask"),
    ],
)
def test_what_is_not_as_expected_is_said(folder: Folder, expected: str, message: str) -> None:
    result = folder.played(ASK, f"runs: [{{input: {{what: it}}, {expected}}}]")
    assert messages(result) == [[message]]
    assert not result.ok


def test_an_input_that_is_refused_is_said(folder: Folder) -> None:
    (found,) = messages(folder.played(ASK, "runs: [{input: {}}, {input: {what: it}, rejected: [/what]}]"))[:1]
    assert found[0].startswith("the input was refused: /what: ")
    assert messages(folder.played(ASK, "runs: [{input: {what: it}, rejected: [/what]}]")) == [["the input was taken"]]
    (wrong,) = messages(folder.played(ASK, "runs: [{input: {}, rejected: [/that]}]"))
    assert wrong == ["the input was refused, but not there"]


def test_models_answer_by_node_in_order_and_by_match(folder: Folder) -> None:
    result = folder.played(
        MODELS,
        """
        models:
          sort: {branch: 1}
          rate: {reply: {stars: 9}}
        runs:
          - name: by match
            input: {texts: [good, bad, other]}
            models:
              rate:
                - {match: bad, reply: {stars: 1}}
                - {match: [Rate, good], reply: '{"stars": 5}'}
            output: {stars: [5, 1, 9], about: x}
            path: [sort, each, done]
          - name: in order, after one that did not come
            input: {texts: [good]}
            models: {sort: none, rate: [{error: unavailable}, {reply: {stars: 2}}]}
            output: {$includes: {stars: [2]}}
          - name: away too often
            input: {texts: [good]}
            models: {rate: {error: unavailable}}
            status: failed
            errorCode: model.unavailable
          - name: one that nobody wants
            input: {texts: []}
            models: {rate: [{reply: {stars: 2}}]}
            output: {stars: [], about: x}
        """,
    )
    assert messages(result) == [[], [], [], ["nobody asked for answer 1 under models.rate"]]


def test_a_request_without_an_answer_is_a_fault_of_the_case(folder: Folder) -> None:
    result = folder.played(MODELS, 'runs: [{input: {texts: [a, b]}, models: {sort: "0", rate: [{reply: {stars: 1}}]}}]')
    (found,) = messages(result)
    told = "`rate` asked a model 2 times; no answer under models.rate is left that fits the last request; it asks: "
    assert found[0].startswith(told) and "Rate" in found[0]
    result = folder.played(MODELS, "runs: [{input: {texts: []}, status: failed}]")
    ((told,),) = messages(result)
    assert told.startswith("`sort` asks a model; the case has no answer for it: write one under models.sort; it asks: ")


def test_a_failed_run_goes_on(folder: Folder) -> None:
    result = folder.played(
        REDRIVE,
        """
        runs:
          - {models: {say: [{error: refused}, hello]}, steps: [{redrive: true, after: P1D}], output: {said: hello}}
          - {models: {say: hello}, steps: [{redrive: true, expectStatus: 409}], output: {said: hello}}
          - {models: {say: {reply: late, delay: PT30S}}, status: failed, errorCode: node.timeout}
        """,
    )
    assert messages(result) == [[], [], []]


def test_what_is_registered_is_found_and_used(folder: Folder) -> None:
    result = folder.played(
        KNOWLEDGE,
        """
        register:
          agents:
            clerk: {instructions: Write what you did., sources: [handbook], tools: [read_file, search_knowledge]}
          sources:
            handbook:
              kind: DOCUMENT
              documents: {refunds.md: "# Refunds\\n\\nRefunds take three days.", other.md: "# Else\\n\\nNothing."}
        runs:
          - files: {note.txt: Be kind.}
            models:
              work:
                - toolCalls:
                    - {name: read_file, arguments: {path: note.txt}}
                    - {name: search_knowledge, arguments: {query: refunds}}
                - {match: [Be kind., three days], reply: done}
            output: {found: 1, said: done}
            activations: {search: 1}
        """,
    )
    assert messages(result) == [[]]


def test_what_is_not_registered_is_an_error_of_the_plan(folder: Folder) -> None:
    result = folder.played(KNOWLEDGE, "runs: [{output: {}}]")
    assert not result.ok and result.cases == ()
    assert {each.code for told in result.told for each in told.diagnostics} == {"registry.unknown"}


def test_the_same_case_comes_out_the_same(folder: Folder) -> None:
    cases = "runs: [{input: {what: it}, steps: [{approval: {decision: approved, by: ada}}]}]"
    one, other = (folder.played(ASK, cases).cases[0].played for _ in range(2))
    assert (one.run, one.activations, one.messages) == (other.run, other.activations, other.messages)
    assert one.run is not None and one.run["startedAt"].startswith("2026-01-05T09:00:00")
