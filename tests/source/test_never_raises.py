"""Nothing in a document is ever an exception (LANGUAGE §2): random bytes, random texts, plans with bites taken out."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopstep.source.document import plain
from loopstep.source.load import load

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PLAN = """\
apiVersion: loop.plan/v1
kind: PlanVersion
input: {客户名称: {type: string, required: true}, 'n': {type: integer, default: 5.0}}
graph:
  entry: {nodeId: w, port: in, input: {}}
  nodes:
    - {id: w, type: wait, title: "a \\"b\\" \\u00e9", wait: {duration: {value: PT0S}}}
    - id: say
      text: |
        Hello {{ plan.input.客户名称 }}
          you
  edges: []
"""
AS_JSON = json.dumps(plain(load(PLAN)[0]), ensure_ascii=False, indent=1)  # type: ignore[arg-type]
MARKS = "[ ] { } \" ' : | > # % @ ` \\ \\ud800 & * ! ... --- << ? -"
TRICKS = st.sampled_from(
    [*MARKS.split(), "&a ", "*a", "!!x ", "<<: ", "- ", "? ", "---\n", "\t", "\r", "\x00", "\ufeff"]
)
OLD_BREAKS = st.sampled_from(["\u2028", "\u0085", "\U0001f600", "\ud800", ""])


def judge(data: bytes | str) -> None:
    """A tree without syntax faults, or no tree and exactly one; places inside the text; the same again."""
    root, faults = load(data)
    fatal = [fault for fault in faults if fault.code != "document.duplicate_key"]
    assert len(fatal) == (root is None)
    assert all(fault.span[:2] >= (1, 1) and fault.span[2:] >= fault.span[:2] for fault in faults)
    assert load(data)[1] == faults
    if root is not None:
        plain(root)


@UNTIMED
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    judge(data)


@UNTIMED
@given(st.text(st.characters(), max_size=200))
def test_random_texts(text: str) -> None:
    judge(text)


@UNTIMED
@given(
    st.sampled_from((PLAN, AS_JSON)),
    st.lists(st.tuples(st.integers(0, 700), st.integers(0, 9), TRICKS | OLD_BREAKS), max_size=3),
)
def test_mutated_plans(text: str, bites: list[tuple[int, int, str]]) -> None:
    for at, length, trick in bites:
        text = text[:at] + trick + text[at + length :]
    judge(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@UNTIMED
@given(st.dictionaries(st.text(), JSON, max_size=4), st.sampled_from((None, 1, "\t")), st.booleans())
def test_json_is_read_as_the_standard_parser_does(
    data: dict[str, object], indent: int | str | None, ascii: bool
) -> None:
    root, faults = load(json.dumps(data, indent=indent, ensure_ascii=ascii))
    assert root is not None and not faults
    assert plain(root) == data
