"""Words, as the index has them and as a query asks for them (CANVAS §3.5).

Chinese, Japanese and Korean write words without blanks between, and no index finds what it did not cut out: a run of
their characters becomes overlapping pairs, and its last character stands by itself. So every character begins
something, and a query of one character is a prefix. Other text is left to SQLite's tokenizer unicode61, which folds
case and diacritics.

    indexed("年假iPhone15手机壳") → "年假 假 iPhone15 手机 机壳 壳"
    match("手机")               → '"手机"'
    match("机")                 → '"机"*'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

MOST_TERMS = 64  # different ones of a query; what comes after is not asked
MOST_CHARACTERS = 8_000  # of a query that are looked at

# Iteration marks, kana, bopomofo, hangul, han with its extensions and compatibility forms; what NFKC replaces is gone.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U000323af"
)


# What stands between words of a query. Other punctuation in a word makes it a phrase: `e-mail`, `3.11`, `foo_bar`.
_BETWEEN = r"[\s,;:/\\|(){}\[\]<>\"!?*^=~。、「」『』《》〈〉【】〔〕・—…“”‘’]+"


def indexed(text: str) -> str:
    """The words of a text with blanks between, for an FTS5 table with tokenizer unicode61."""
    return _runs().sub(lambda run: f" {' '.join(_pairs(run[0]))} {run[0][-1]} ", plain(text))


def match(query: str) -> str:
    """An FTS5 expression that finds texts with any of the query's words, "" where it has none.

    Each is quoted: nothing in a query is an operator.
    """
    return " OR ".join(terms(query))


def terms(query: str) -> list[str]:
    """The query's different words as FTS5 strings, in their order, at most MOST_TERMS."""
    text = query[:MOST_CHARACTERS].encode("utf-8", "replace").decode()  # half of a surrogate pair is no character
    found: dict[str, str] = {}
    for term in _terms(plain(text)):
        found.setdefault(term.lower(), term)
        if len(found) == MOST_TERMS:
            break
    return list(found.values())


def words(text: str) -> list[str]:
    """The words of a text as names are compared outside the index: case folded, in order, with repetitions.

    A run of CJK characters is its pairs, one that stands by itself is a word.
    """
    cut = _runs().sub(lambda run: f" {' '.join(_pairs(run[0]) or run[0])} ", plain(text))
    return re.findall(r"[^\W_]+", cut.casefold())


def plain(text: str) -> str:
    """NFKC (wide letters and narrow kana in their usual form), and a blank for every NUL, where SQLite would end."""
    return unicodedata.normalize("NFKC", text).replace("\0", " ")


def _terms(text: str) -> Iterator[str]:
    for part in re.split(_BETWEEN, text):
        at = 0
        for run in _runs().finditer(part):
            yield from _other(part[at : run.start()])
            yield from (f'"{pair}"' for pair in _pairs(run[0])) if len(run[0]) > 1 else (f'"{run[0]}"*',)
            at = run.end()
        yield from _other(part[at:])


def _other(part: str) -> Iterator[str]:
    if any(character.isalnum() for character in part):
        yield f'"{part}"'


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


@cache
def _runs() -> re.Pattern[str]:
    return re.compile(f"[{_CJK}]+")
