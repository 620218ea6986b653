"""The server: the protocol's messages, each handed to the Service."""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from loopstep import __version__
from loopstep.lsp.service import Refused, Service, pages_at

TRIGGERS: Final = [".", ":", " ", "{", "[", '"', "'", "-"]


def make_server() -> LanguageServer:
    """A server that has no connection yet. Whole documents are sent on each change."""
    server = LanguageServer("loopstep", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
    service = Service(server.text_document_publish_diagnostics)
    _lifetime(server, service)
    _documents(server, service)
    _questions(server, service)
    _names(server, service)
    return server


def _lifetime(server: LanguageServer, service: Service) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        pattern = options.get("docs") if isinstance(options, dict) else getattr(options, "docs", None)
        if isinstance(pattern, str) and "{code}" in pattern:
            service.page = pages_at(pattern)
        text = params.capabilities.text_document
        item = text.completion.completion_item if text is not None and text.completion is not None else None
        service.snippets = bool(item is not None and item.snippet_support)

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        chosen: Any = server.server_capabilities.position_encoding
        service.encoding = str(getattr(chosen, "value", chosen) or lsp.PositionEncodingKind.Utf16.value)

    @server.feature(lsp.SHUTDOWN)
    def shutdown(*args: Any) -> None:
        service.stop()


def _documents(server: LanguageServer, service: Service) -> None:
    def take(uri: str) -> None:
        document = server.workspace.get_text_document(uri)
        service.changed(uri, document.source, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        take(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        take(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        service.closed(params.text_document.uri)


def _questions(server: LanguageServer, service: Service) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=TRIGGERS))
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        return await service.work(lambda: service.complete(params.text_document.uri, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return await service.work(lambda: service.hover(params.text_document.uri, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return await service.work(lambda: service.outline(params.text_document.uri))

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return await service.work(lambda: service.actions(params.text_document.uri, params.range))


def _names(server: LanguageServer, service: Service) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return await service.work(lambda: service.definition(params.text_document.uri, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        declaration = params.context.include_declaration
        return await service.work(lambda: service.references(params.text_document.uri, params.position, declaration))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        found = await service.work(lambda: service.references(params.text_document.uri, params.position, True))
        return [lsp.DocumentHighlight(one.range) for one in found]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        return await service.work(lambda: service.renamable(params.text_document.uri, params.position))

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        try:
            return await service.work(
                lambda: service.rename(params.text_document.uri, params.position, params.new_name)
            )
        except Refused as reason:
            raise JsonRpcInvalidParams(str(reason)) from None
