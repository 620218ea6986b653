"""What `editor` found, in the protocol's words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from lsprotocol import types as lsp

from loopstep.diagnostics.diagnostic import ERROR, Diagnostic, Related
from loopstep.editor import items, outline
from loopstep.editor.edits import Fix
from loopstep.editor.hover import Hover
from loopstep.editor.items import Item
from loopstep.lsp.positions import Positions
from loopstep.source.document import Span

SOURCE: Final = "loopstep"

_KINDS: Final = {
    items.FIELD: lsp.CompletionItemKind.Field,
    items.REFERENCE: lsp.CompletionItemKind.Variable,
    items.FUNCTION: lsp.CompletionItemKind.Function,
    items.NODE: lsp.CompletionItemKind.Module,
    items.PORT: lsp.CompletionItemKind.Interface,
    items.TYPE: lsp.CompletionItemKind.Class,
    items.CHOICE: lsp.CompletionItemKind.EnumMember,
    items.VALUE: lsp.CompletionItemKind.Value,
    items.SNIPPET: lsp.CompletionItemKind.Snippet,
}
_SYMBOLS: Final = {
    outline.SECTION: lsp.SymbolKind.Namespace,
    outline.FIELD: lsp.SymbolKind.Field,
    outline.NODE: lsp.SymbolKind.Function,
    outline.EDGE: lsp.SymbolKind.Event,
}
_PLACEHOLDER: Final = re.compile(r"\$(?:\d+|\{\d+:([^{}]*)\})")
_HALF: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """A text that can be sent: half of a surrogate pair is no character."""
    return _HALF.sub("\ufffd", text)


def diagnostic(each: Diagnostic, at: Positions, uri: str, page: str | None) -> lsp.Diagnostic:
    """A fault; its hint stands in the message, its code leads to its page."""
    hint = f"\nhelp: {each.hint}" if each.hint else ""
    return lsp.Diagnostic(
        range=at.range(_span(each)),
        severity=lsp.DiagnosticSeverity.Error if each.severity == ERROR else lsp.DiagnosticSeverity.Warning,
        code=each.code,
        code_description=lsp.CodeDescription(page) if page else None,
        source=SOURCE,
        message=clean(each.message + hint),
        related_information=[
            lsp.DiagnosticRelatedInformation(lsp.Location(uri, at.range(_span(one))), clean(one.message))
            for one in each.related
        ]
        or None,
    )


def _span(each: Diagnostic | Related) -> Span:
    return Span(each.line, each.column, each.end_line, each.end_column)


def completion(found: Iterable[Item], at: Positions, line: int, snippets: bool) -> lsp.CompletionList:
    """The proposals, in the order of their rank."""
    ranked = sorted(found, key=lambda item: item.order)
    return lsp.CompletionList(False, [_item(one, rank, at, line, snippets) for rank, one in enumerate(ranked)])


def _item(one: Item, rank: int, at: Positions, line: int, snippets: bool) -> lsp.CompletionItem:
    snippet = one.snippet and snippets
    insert = one.insert if snippet or not one.snippet else _PLACEHOLDER.sub(lambda m: m[1] or "", one.insert)
    told = lsp.MarkupContent(lsp.MarkupKind.Markdown, clean(one.documentation)) if one.documentation else None
    edit = lsp.TextEdit(at.range(Span(line, one.start, line, one.end)), clean(insert))
    return lsp.CompletionItem(
        label=clean(one.label),
        kind=_KINDS[one.kind],
        detail=clean(one.detail) or None,
        documentation=told,
        sort_text=f"{rank:05}",
        filter_text=clean(one.label),
        text_edit=edit,
        insert_text_format=lsp.InsertTextFormat.Snippet if snippet else lsp.InsertTextFormat.PlainText,
        insert_text_mode=lsp.InsertTextMode.AsIs,
    )


def hover(found: Hover, at: Positions) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, clean(found.text)), at.range(found.span))


def symbol(entry: outline.Entry, at: Positions) -> lsp.DocumentSymbol:
    """A part of the outline with what is in it."""
    return lsp.DocumentSymbol(
        name=clean(entry.name) or "?",
        kind=_SYMBOLS[entry.kind],
        range=at.range(entry.span),
        selection_range=at.range(entry.name_span),
        detail=clean(entry.detail) or None,
        children=[symbol(one, at) for one in entry.children] or None,
    )


def action(fix: Fix, fault: lsp.Diagnostic, at: Positions, uri: str) -> lsp.CodeAction:
    """A quick fix."""
    edits = [lsp.TextEdit(at.range(edit.span), clean(edit.text)) for edit in fix.edits]
    changes: dict[str, Any] = {uri: edits}
    return lsp.CodeAction(
        title=clean(fix.title),
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[fault],
        is_preferred=fix.preferred,
        edit=lsp.WorkspaceEdit(changes=changes),
    )
