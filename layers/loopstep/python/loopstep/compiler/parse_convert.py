"""`convert` beside a ref or expr (LANGUAGE §4, CANVAS §4): what can be told without the type of its source."""

from __future__ import annotations

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.model import Convert
from loopstep.convert.registry import KINDS, TARGETS, supported
from loopstep.diagnostics.collector import Reporter
from loopstep.diagnostics.suggest import nearest
from loopstep.source.document import Value

UNSUPPORTED = "convert.unsupported"
_ALLOWED = MAPPINGS["convert"].names


def convert(value: Value, report: Reporter) -> Convert:
    """The conversion; `judged` where a fault in it was reported, so that no later pass reports the same."""
    mapping = read.mapping(value, "`convert`", report, "write it as `{to: string}`")
    if mapping is None:
        return Convert("", None, None, None, value, judged=True)
    entries = mapping.entries
    meant = read.keys(mapping, _ALLOWED, ("to",), "`convert`", report)
    texts = {name: read.text(entries[name], f"`{name}`", report) for name in ("to", "mode", "from") if name in entries}
    top_k = read.integer(entries["topK"], "`topK`", 1, None, report) if "topK" in entries else None
    or_absent = read.flag(entries["orAbsent"], "`orAbsent`", report) if "orAbsent" in entries else False
    target, mode, kind = texts.get("to"), texts.get("mode"), texts.get("from")
    sound = not meant and "to" in texts and None not in texts.values() and (top_k is not None or "topK" not in entries)
    if target is not None and target not in TARGETS:
        sound = _unknown("target type", target, TARGETS, entries["to"], report)
    if kind is not None and kind not in KINDS:
        sound = _unknown("kind", kind, KINDS, entries["from"], report)
    if sound and target is not None:
        sound = _possible(target, mode, kind, top_k, entries, report)
    known = target if target in TARGETS else None
    leniently = or_absent is not False or "orAbsent" in meant
    return Convert(known or "", mode, kind if kind in KINDS else None, top_k, value, not sound, leniently)


def _unknown(what: str, name: str, names: tuple[str, ...], at: Value, report: Reporter) -> bool:
    near = nearest(name, names)
    hint = f"did you mean `{near}`?" if near else "one of " + ", ".join(names)
    report.error(UNSUPPORTED, f"conversions know no {what} `{name}`", at, hint)
    return False


def _possible(
    target: str, mode: str | None, kind: str | None, top_k: int | None, entries: dict[str, Value], report: Reporter
) -> bool:
    """Whether some source of the kind, of any kind where none is given, converts so; the fault is reported."""
    kinds = KINDS if kind is None else (kind,)
    source = "" if kind is None else f" from {kind}"
    if not any(supported(k, target) for k in kinds):
        report.error(UNSUPPORTED, f"nothing converts{source} to {target}", entries["to"])
    elif mode is not None and not any(supported(k, target, mode) for k in kinds):
        report.error(UNSUPPORTED, f"a conversion{source} to {target} has no mode `{mode}`", entries["mode"])
    elif top_k is not None and not any(supported(k, target, mode, top_k) for k in kinds):
        hint = "it stands where evidences become an array"
        report.error(UNSUPPORTED, f"a conversion{source} to {target} takes no `topK`", entries["topK"], hint)
    else:
        return True
    return False
