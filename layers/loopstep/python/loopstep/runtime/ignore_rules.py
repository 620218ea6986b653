"""The rules of an ignore file, as git has them (gitignore(5)), decided by git's own way from the top down.

Made here and not by pathspec: that includes a file again whose directory is left out, which git does not, so nodes
would see what the author of the rules kept from them; and its regular expressions can be made to run for years. Here a
path of n characters costs at most n times the length of each rule. Characters are code points (git's `?` is one byte).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

Test = Callable[[str], bool]  # of one character

_ONE, _STAR, _ALL, _DIRECTORIES = "one", "star", "all", "directories"


class _Step(NamedTuple):
    """One step of a pattern: a character that passes `test`, or any number of characters or directories."""

    kind: str
    test: Test = bool


class _Rule(NamedTuple):
    """`whole`: matched against the path from the root, else against its last name."""

    steps: tuple[_Step, ...]
    leaves_out: bool
    directories_only: bool
    whole: bool


class _Invalid(Exception):
    """A pattern that matches nothing."""


def ignore_rules(text: str) -> Callable[[str], bool]:
    """Return whether the rules leave out a file, given by its path from the root (`a/b.txt`)."""
    rules = [rule for line in text.removeprefix("\ufeff").split("\n") if (rule := _rule(line)) is not None]
    rules.reverse()  # the last rule that matches decides

    def left_out(path: str) -> bool:
        names = path.split("/")
        return any(_decides(rules, "/".join(names[:depth]), depth < len(names)) for depth in range(1, len(names) + 1))

    return left_out


def _decides(rules: Iterable[_Rule], path: str, directory: bool) -> bool:
    for rule in rules:
        if rule.directories_only and not directory:
            continue
        if _matches(rule.steps, path if rule.whole else path.rpartition("/")[2]):
            return rule.leaves_out
    return False


def _rule(line: str) -> _Rule | None:
    pattern = _trimmed(line.removesuffix("\r"))
    if not pattern or pattern.startswith("#"):
        return None
    leaves_out = not pattern.startswith("!")
    pattern = pattern if leaves_out else pattern[1:]
    directories_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    whole = "/" in pattern
    try:
        return _Rule(tuple(_steps(pattern.removeprefix("/"), whole)), leaves_out, directories_only, whole)
    except _Invalid:
        return None


def _trimmed(line: str) -> str:
    """Without trailing blanks, but for those that a backslash keeps."""
    end = index = 0
    while index < len(line):
        if line[index] == "\\":
            index += 1
            end = index + 1
        elif line[index] != " ":
            end = index + 1
        index += 1
    return line[:end]


def _steps(pattern: str, whole: bool) -> Iterator[_Step]:
    index = 0
    while index < len(pattern):
        if pattern[index] == "*":
            end = index
            while pattern[end : end + 1] == "*":
                end += 1
            bounded = end - index > 1 and pattern[index - 1 : index] in ("", "/") and whole
            yield from _stars(pattern, end, bounded)
            index = end + (bounded and pattern[end : end + 1] == "/")
            continue
        test, index = _one(pattern, index)
        yield _Step(_ONE, test)


def _stars(pattern: str, end: int, bounded: bool) -> Iterator[_Step]:
    """What a run of stars means that ends at `end`; two or more are special between slashes only."""
    if not bounded or pattern[end : end + 1] not in ("", "/", "\\"):
        yield _Step(_STAR)
    elif end == len(pattern):
        yield _Step(_ALL)
    elif pattern[end] == "/":
        yield _Step(_DIRECTORIES)
    elif pattern[end : end + 2] == "\\/":  # the slash is written out, so there is one directory at least
        yield from (_Step(_DIRECTORIES), _Step(_ONE, _no_slash), _Step(_STAR))
    else:
        yield _Step(_STAR)


def _one(pattern: str, index: int) -> tuple[Test, int]:
    """What one character has to be, and where the pattern goes on. Raises _Invalid."""
    character = pattern[index]
    if character == "?":
        return _no_slash, index + 1
    if character == "[":
        return _bracket(pattern, index + 1)
    if character == "\\":
        index += 1
        character = pattern[index : index + 1]
        if not character:
            raise _Invalid
    return character.__eq__, index + 1


def _no_slash(character: str) -> bool:
    return character != "/"


_CLASSES: dict[str, Test] = {
    "alnum": lambda c: c.isascii() and c.isalnum(),
    "alpha": lambda c: c.isascii() and c.isalpha(),
    "blank": lambda c: c in " \t",
    "cntrl": lambda c: c < " " or c == "\x7f",
    "digit": lambda c: c.isascii() and c.isdigit(),
    "graph": lambda c: "!" <= c <= "~",
    "lower": lambda c: "a" <= c <= "z",
    "print": lambda c: " " <= c <= "~",
    "punct": lambda c: "!" <= c <= "~" and not c.isalnum(),
    "space": lambda c: c in " \t\n\v\f\r",
    "upper": lambda c: "A" <= c <= "Z",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
}


def _bracket(pattern: str, index: int) -> tuple[Test, int]:
    """The set that begins behind a `[`."""
    negated = pattern[index : index + 1] in ("!", "^")
    index += negated
    tests: list[Test] = []
    before, first = "", True
    while first or pattern[index : index + 1] != "]":
        first = False
        test, before, index = _member(pattern, index, before)
        tests.append(test)
    return lambda c: c != "/" and any(test(c) for test in tests) != negated, index + 1


def _member(pattern: str, index: int, before: str) -> tuple[Test, str, int]:
    """One member of a set, the character that may begin a range, and where it goes on. Raises _Invalid."""
    if pattern.startswith("[:", index):
        name, end = _class_name(pattern, index + 2)
        if name:
            if name not in _CLASSES:
                raise _Invalid
            return _CLASSES[name], "", end
        return "[".__eq__, "[", index + 1
    if pattern[index : index + 1] == "-" and before and pattern[index + 1 : index + 2] not in ("", "]"):
        last, index = _literal(pattern, index + 1)
        return lambda c: before <= c <= last, "", index
    character, index = _literal(pattern, index)
    return character.__eq__, character, index


def _class_name(pattern: str, start: int) -> tuple[str, int]:
    """The name in `[:name:]` and the place behind it; "" where there is no `:]`. Raises _Invalid without any `]`."""
    end = pattern.find("]", start)
    if end < 0:
        raise _Invalid
    inside = pattern[start:end]
    return (inside[:-1] or "?", end + 1) if inside.endswith(":") else ("", start)


def _literal(pattern: str, index: int) -> tuple[str, int]:
    if pattern[index : index + 1] == "\\":
        index += 1
    if index >= len(pattern):
        raise _Invalid
    return pattern[index], index + 1


def _matches(steps: tuple[_Step, ...], text: str) -> bool:
    """Whether the steps take the whole text. All ways are followed at once, a character at a time."""
    states = _reached(steps, {0})
    for character in text:
        states = _reached(steps, _taken(steps, states, character))
        if not states:
            return False
    return len(steps) in states


def _reached(steps: tuple[_Step, ...], states: set[int]) -> set[int]:
    """These and what follows them without a character. ~n: within a directory that step n passes over."""
    open_ = [state for state in states if state >= 0]
    while open_:
        state = open_.pop()
        if state < len(steps) and steps[state].kind != _ONE and state + 1 not in states:
            states.add(state + 1)
            open_.append(state + 1)
    return states


def _taken(steps: tuple[_Step, ...], states: set[int], character: str) -> set[int]:
    taken = set()
    for state in states:
        index = state if state >= 0 else ~state
        if index == len(steps):
            continue
        kind, test = steps[index]
        if kind == _ONE:
            if test(character):
                taken.add(index + 1)
        elif kind == _DIRECTORIES:
            taken.add(index if character == "/" else ~index)
        elif kind == _ALL or character != "/":
            taken.add(index)
    return taken
