"""What a terminal shows: the rule, the line, the spot, the way out."""

from __future__ import annotations

import re
from textwrap import wrap

from loopstep.diagnostics.codes import CODES
from loopstep.diagnostics.diagnostic import Diagnostic, Related
from loopstep.diagnostics.render import render, render_json, source_lines, summary, width
from loopstep.diagnostics.visible import visible

SOURCE = "state:\n  数量: {type: int}  # 客户\n\tx: 1\n"


def fault(line: int, column: int, end_line: int, end_column: int, **more: object) -> Diagnostic:
    given = {"code": "schema.invalid", "severity": "error", "message": "no such type", "path": "/a", **more}
    return Diagnostic(line=line, column=column, end_line=end_line, end_column=end_column, **given)  # type: ignore[arg-type]


def test_the_whole_picture() -> None:
    related = Related("declared here", "/state", 1, 1, 1, 6)
    shown = render("plan.yaml", SOURCE, [fault(2, 14, 2, 17, hint='did you mean "integer"?', related=(related,))])
    why = CODES["schema.invalid"].page.why
    assert "\n" not in why
    assert shown == "\n".join(
        [
            "error[schema.invalid]: no such type",
            " --> plan.yaml:2:14",
            "  |",
            "2 |   数量: {type: int}  # 客户",
            "  |                ^^^",
            " --> plan.yaml:1:1",
            "  |",
            "1 | state:",
            "  | ----- declared here",
            "  = why: " + "\n         ".join(wrap(why, 96)),
            '  = help: did you mean "integer"?',
        ]
    )


def marks(source: str, diagnostic: Diagnostic) -> tuple[str, str]:
    """The source line as shown, and the line under it."""
    rows = render("f", source, [diagnostic]).split("\n")
    return rows[3], rows[4]


def test_carets_stand_under_wide_characters() -> None:
    line, under = marks(SOURCE, fault(2, 3, 2, 5))
    assert width(under) == width(line[: line.index("数量") + 2])
    assert under.count("^") == 4


def test_tabs_are_shown_as_blanks() -> None:
    line, under = marks(SOURCE, fault(3, 2, 3, 3))
    assert line == "3 |     x: 1" and under == "  |     ^"


def test_a_span_over_lines_ends_with_its_first() -> None:
    assert marks("a: |\n  text\n", fault(1, 4, 2, 7)) == ("1 | a: |", "  |    ^")
    assert marks("abc: def  \nx", fault(1, 1, 2, 1))[1] == "  | ^^^^^^^^"


def test_empty_spans_get_one_mark_and_foreign_lines_none() -> None:
    assert marks("a:", fault(1, 3, 1, 3))[1] == "  |   ^"
    assert "|" not in render("f", "a:", [fault(7, 1, 7, 1)])


def test_long_lines_are_cut_around_the_spot() -> None:
    line, under = marks("x" * 5000 + "!" + "y" * 5000, fault(1, 5001, 1, 5002))
    assert width(line) < 180 and line[under.index("^")] == "!"


def test_a_document_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in render("f", "a: \x1b[2Jx", [fault(1, 4, 1, 5)])


def test_what_is_said_cannot_steer_the_terminal() -> None:
    text = "a\x1b[2J\x9b\u202eb\u2066\x7f\r\n\u2028"
    related = Related(text, "", 1, 1, 1, 2)
    shown = render(f"f{text}", "a: 1", [fault(1, 1, 1, 2, message=text, hint=text, related=(related,))])
    assert all(c.isprintable() or c == "\n" for c in shown)
    seen = r"a\u{1b}[2J\u{9b}\u{202e}b\u{2066}\u{7f}\u{d}\u{a}\u{2028}"
    assert shown.count(seen) == 5  # the message, the hint, the label, and the name of the file at both places
    assert render_json({"f": [fault(1, 1, 1, 2, message=text)]})["files"][0]["diagnostics"][0]["message"] == text


def test_texts_of_any_script_are_shown_as_they_are() -> None:
    text = "数量\u3000é \U0001f468\u200d\U0001f469 نام\u200cها"
    assert visible(text) == text


def test_colour_changes_nothing_but_colour() -> None:
    diagnostics = [fault(2, 14, 2, 17), fault(1, 1, 1, 2, severity="warning", hint="h")]
    coloured = render("f", SOURCE, diagnostics, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render("f", SOURCE, diagnostics)


def test_gutters_are_as_wide_as_the_largest_number() -> None:
    source = "\n" * 99 + "x: 1"
    shown = render("f", source, [fault(100, 1, 100, 2, related=(Related("r", "", 1, 1, 1, 1),))])
    assert "\n100 | x: 1" in shown and "\n  1 |" in shown


def test_any_bytes_can_be_shown() -> None:
    assert "f:1:1" in render("f", b"\xff\xfe", [fault(1, 1, 1, 2)])
    assert source_lines(b"\xef\xbb\xbfa\r\nb\rc\nd") == ["a", "b", "c", "d"]


def test_summary() -> None:
    assert summary([]) == "no problems"
    one = fault(1, 1, 1, 2)
    assert summary([one]) == "1 error"
    assert summary([one, one, fault(1, 1, 1, 1, severity="warning")]) == "2 errors, 1 warning"


def test_json() -> None:
    one = fault(1, 1, 1, 2)
    assert render_json({"f": [one], "g": []}) == {
        "files": [{"file": "f", "diagnostics": [one.to_json()]}, {"file": "g", "diagnostics": []}]
    }


def test_a_rule_is_explained_once() -> None:
    shown = render("f", SOURCE, [fault(1, 1, 1, 2), fault(2, 1, 2, 2), fault(2, 1, 2, 2, code="schema.unheard_of")])
    assert shown.count("= why:") == 1
