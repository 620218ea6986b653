"""Texts with a form: durations, points in time, paths, names (LANGUAGE §2, §3). Everything here takes any string."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

LONGEST_DURATION: Final = 365 * 24 * 60 * 60  # seconds
LONGEST_NAME: Final = 63  # code points
LONGEST_SCOPE: Final = 256  # code points
LONGEST_PATH: Final = 900  # bytes of UTF-8: a key of object storage takes 1,024, the Run's prefix included

_UNITS: Final = (604800, 86400, 3600, 60, 1)
# Patterns that most processes never need are texts: `re` compiles one at its first use, and keeps it.
_DURATION: Final = (
    r"P(?=.)(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?=.)(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\.([0-9]+))?S)?)?"
)
_DATETIME: Final = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
# backslash, control characters, line ends, what turns the direction of writing, halves of surrogate pairs, the mark of
# bytes that were no text; percent-encoded bytes; a drive letter
_UNSAFE: Final = r"[\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffd]|%[0-9A-Fa-f]{2}|^[A-Za-z]:"
_ID: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_CONTINUES: Final = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "Mn", "Mc", "Me"))


def duration_seconds(text: str) -> int | float | None:
    """The seconds of an ISO 8601 duration, an int where they are whole, or None for anything else (LANGUAGE §3).

    Weeks, days, hours, minutes and seconds, in this order, each at most once; weeks may stand beside the others, as
    ISO 8601-2 allows. Only seconds may have a fraction, after a point. At most 365 days; no sign, no years or months.
    """
    exact = _duration(text)
    if exact is None:
        return None
    whole, fraction = exact
    return whole + float(f"0.{fraction}") if fraction else whole


def duration_whole_seconds(text: str) -> int | None:
    """The same, rounded up to whole seconds, exactly."""
    exact = _duration(text)
    return None if exact is None else exact[0] + bool(exact[1])


def _duration(text: str) -> tuple[int, str] | None:
    """Whole seconds and the digits of the fraction, without trailing zeros."""
    match = re.fullmatch(_DURATION, text)
    if match is None:
        return None
    whole = 0
    for digits, unit in zip(match.groups()[:5], _UNITS, strict=True):
        significant = (digits or "").lstrip("0")
        if len(significant) > 8:  # more than 365 days in any unit
            return None
        whole += int(significant or 0) * unit
    fraction = (match[6] or "").rstrip("0")
    return (whole, fraction) if whole + bool(fraction) <= LONGEST_DURATION else None


def duration_fault(text: str) -> str:
    """Why a text that `duration_seconds` does not take is none, to be read behind it."""
    if re.fullmatch(_DURATION, text):
        return f"is longer than {LONGEST_DURATION // 86400} days"
    if re.match(r"P(?:[0-9.,]+[WD])*[0-9.,]+[YM]", text):
        return "has years or months, which have no fixed length"
    return "is no duration"


def parse_datetime(text: str) -> datetime | None:
    """The aware point in time of an RFC 3339 text, or None. Fractions are cut to microseconds.

    `T` and the offset (`Z` or ±hh:mm) are required, lower case is allowed (RFC 3339 §5.6). Second 60 is taken only
    where UTC reads 23:59, as a leap second stands there alone, and means the next second. Years 0001 to 9999.
    """
    match = re.fullmatch(_DATETIME, text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction = int((match[7] or "")[:6].ljust(6, "0"))
    hours, minutes = int(match[9] or 0), int(match[10] or 0)
    if hours > 23 or minutes > 59 or second > 60:
        return None
    offset = timedelta(hours=hours, minutes=minutes) * (-1 if match[8] == "-" else 1)
    try:
        moment = datetime(
            year, month, day, hour, minute, min(second, 59), fraction, timezone(offset) if offset else UTC
        )
        in_utc = moment.astimezone(UTC)
        if second < 60:
            return moment
        leap = (in_utc.hour, in_utc.minute) == (23, 59)
        return moment.replace(microsecond=0) + timedelta(seconds=1) if leap else None
    except (ValueError, OverflowError):
        return None


def is_relative_path(text: str) -> bool:
    """Whether it is a safe path of a file inside a working directory: segments between `/`, none empty, none `..`.

    No leading or trailing slash, no backslash, no control character, no drive letter, nothing percent-encoded, no
    segment of only dots and blanks (a `.` may stand anywhere but at the end; `normal_path` takes it out), and no
    character that would be one of these in its compatible form, as a full-width slash is. Whether there is such a
    file is not asked.
    """
    if not _is_path(text) or len(text.encode("utf-8")) > LONGEST_PATH:
        return False
    if text.isascii():
        return True
    return len(normal_path(text).encode("utf-8")) <= LONGEST_PATH and _is_path_as_seen(text)


def _is_path(text: str) -> bool:
    if not text or re.search(_UNSAFE, text):
        return False
    segments = text.split("/")
    return segments[-1] != "." and all(segment == "." or segment.strip(" .") for segment in segments)


def _is_path_as_seen(text: str) -> bool:
    """Whether what a reader, or a file system that folds characters, takes the text for is the same safe path."""
    from unicodedata import category, normalize

    seen = "".join(each for each in normalize("NFKC", text) if category(each) != "Cf")
    return _is_path(seen) and normal_path(seen).count("/") == normal_path(text).count("/")


def is_directory_path(text: str) -> bool:
    """As `is_relative_path`; it may also end with `/` or `/.`, and `.` is the working directory itself."""
    trimmed = text.removesuffix("/")
    return trimmed == "." or is_relative_path(trimmed.removesuffix("/."))


def normal_path(text: str) -> str:
    """The one spelling of a safe path: NFC, without `.` segments and trailing slash; "" is the working directory."""
    path = "/".join(segment for segment in text.split("/") if segment not in ("", "."))
    if path.isascii():
        return path
    from unicodedata import normalize

    return normalize("NFC", path)


def is_field_name(text: str) -> bool:
    """A Unicode identifier of LANGUAGE §2: a letter or `_`, then letters, digits, marks, `_`; NFC; at most 63."""
    if not 0 < len(text) <= LONGEST_NAME:
        return False
    if text.isascii():
        return _ID.fullmatch(text) is not None
    from unicodedata import is_normalized

    return starts_name(text[0]) and all(map(continues_name, text)) and is_normalized("NFC", text)


def starts_name(character: str) -> bool:
    """Whether a field name may begin with the character."""
    from unicodedata import category

    return character == "_" or category(character)[0] == "L"


def continues_name(character: str) -> bool:
    """Whether a field name may go on with it. Letter numbers count as digits, so that `二〇二四` is a name."""
    from unicodedata import category

    return character == "_" or category(character) in _CONTINUES


def is_id(text: str) -> bool:
    """A plan name, node id, edge id or branch name: `[A-Za-z_][A-Za-z0-9_]{0,62}`."""
    return _ID.fullmatch(text) is not None


def is_scope(text: str) -> bool:
    """A scope is any text of 1 to 256 characters (LANGUAGE §3)."""
    return 0 < len(text) <= LONGEST_SCOPE


def is_duration(text: str) -> bool:
    """Whether `duration_seconds` takes it."""
    return _duration(text) is not None


def is_datetime(text: str) -> bool:
    """Whether `parse_datetime` takes it."""
    return parse_datetime(text) is not None
