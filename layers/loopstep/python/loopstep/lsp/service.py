"""The open documents and what is asked of them: worked out one after the other, away from the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from lsprotocol import types as lsp

from loopstep.compiler.read import IDENTIFIER_FORM
from loopstep.diagnostics.codes import CODES
from loopstep.editor import fixes, names
from loopstep.editor.analysis import Analysis, Document
from loopstep.editor.complete import complete
from loopstep.editor.hover import hover
from loopstep.editor.names import Occurrence
from loopstep.editor.outline import outline
from loopstep.lsp import answers
from loopstep.lsp.positions import BOM, Positions
from loopstep.types.forms import is_field_name, is_id

PAUSE: Final = 0.15  # seconds without a change before a document is checked
PLANS: Final = (".plan.yaml", ".plan.yml", ".plan.json")
CANVASES: Final = ".canvas.json"
HEAD: Final = 4096  # characters in which a plan says that it is one

_T = TypeVar("_T")


class Refused(Exception):
    """What was asked for cannot be done; the text says why."""


class Open:
    """One document of the editor."""

    def __init__(self, uri: str, text: str, version: int | None) -> None:
        self.uri = uri
        self.version = version
        self.document = Document(text)
        self.checking: asyncio.Task[None] | None = None

    @property
    def analysis(self) -> Analysis:
        return self.document.analysis

    @property
    def is_plan(self) -> bool:
        """Whether it is a plan by its name or its first lines; other YAML is not ours."""
        return self.uri.endswith(PLANS) or "loop.plan/" in self.document.text[:HEAD]

    @property
    def is_canvas(self) -> bool:
        text = self.document.text
        named = self.uri.endswith(CANVASES) or '"userInput"' in text
        return text.lstrip()[:1] == "{" and named and self.analysis.is_canvas


class Service:
    """`publish` sends diagnostics. Everything else is asked by the server's handlers."""

    def __init__(self, publish: Callable[[lsp.PublishDiagnosticsParams], None]) -> None:
        self.publish = publish
        self.encoding = str(lsp.PositionEncodingKind.Utf16.value)
        self.snippets = False
        self.page = own_pages()
        self.documents: dict[str, Open] = {}
        self.worker = ThreadPoolExecutor(1, "loopstep")

    async def work(self, job: Callable[[], _T]) -> _T:
        """Runs a job after those before it; while it runs, messages are still read."""
        return await asyncio.get_running_loop().run_in_executor(self.worker, job)

    # -- documents -----------------------------------------------------------------------------------------------------

    def changed(self, uri: str, text: str, version: int | None) -> None:
        """Takes a text, and checks it when there was no other for a moment."""
        found = self.documents.get(uri)
        if found is None:
            found = self.documents[uri] = Open(uri, text, version)
        found.document.text, found.version = text, version
        if found.checking is not None:
            found.checking.cancel()
        found.checking = asyncio.ensure_future(self._check(found, version))

    def closed(self, uri: str) -> None:
        found = self.documents.pop(uri, None)
        if found is not None and found.checking is not None:
            found.checking.cancel()
        self.publish(lsp.PublishDiagnosticsParams(uri, []))

    def stop(self) -> None:
        for found in self.documents.values():
            if found.checking is not None:
                found.checking.cancel()
        self.worker.shutdown(wait=False, cancel_futures=True)

    async def _check(self, found: Open, version: int | None) -> None:
        await asyncio.sleep(PAUSE)
        shown = await self.work(lambda: self.diagnostics(found, version))
        if shown is not None and found.version == version and self.documents.get(found.uri) is found:
            self.publish(lsp.PublishDiagnosticsParams(found.uri, shown, version))
            if found.is_plan:
                await self.work(lambda: self._settle(found, version))

    @staticmethod
    def _settle(found: Open, version: int | None) -> None:
        if found.version == version:
            found.document.settle()

    def diagnostics(self, found: Open, version: int | None) -> list[lsp.Diagnostic] | None:
        """What is wrong with the text of that version; None where there is a newer one."""
        if found.version != version:
            return None
        if not (found.is_plan or found.is_canvas):
            return []
        at, analysis = self.positions(found), found.analysis
        return [
            answers.diagnostic(each, at, found.uri, self.page(each.code) if each.code in CODES else None)
            for each in analysis.diagnostics
        ]

    def positions(self, found: Open) -> Positions:
        return Positions(found.analysis.lines, self.encoding, found.document.text.startswith(BOM))

    # -- answers -------------------------------------------------------------------------------------------------------

    def complete(self, uri: str, position: lsp.Position) -> lsp.CompletionList | None:
        found = self.documents.get(uri)
        if found is None or not found.is_plan:
            return None
        at = self.positions(found)
        line, column = at.place(position)
        return answers.completion(complete(found.document, line, column), at, line, self.snippets)

    def hover(self, uri: str, position: lsp.Position) -> lsp.Hover | None:
        found = self.documents.get(uri)
        if found is None or not found.is_plan:
            return None
        at = self.positions(found)
        told = hover(found.analysis, *at.place(position))
        return None if told is None else answers.hover(told, at)

    def definition(self, uri: str, position: lsp.Position) -> lsp.Location | None:
        """Where the name under the position is declared; what no document declares is its node's."""
        found, named = self._named(uri, position)
        if found is None or named is None:
            return None
        declared = [one for one in found.analysis.occurrences if one.declares]
        wanted = [named.name, names.Name(names.NODE, "", (named.name.owner,))]
        place = next((one for name in wanted for one in declared if one.name == name), None)
        return None if place is None else lsp.Location(uri, self.positions(found).range(place.span))

    def references(self, uri: str, position: lsp.Position, declaration: bool) -> list[lsp.Location]:
        found, named = self._named(uri, position)
        if found is None or named is None:
            return []
        at = self.positions(found)
        same = [one for one in found.analysis.occurrences if one.name == named.name]
        return [lsp.Location(uri, at.range(one.span)) for one in same if declaration or not one.declares]

    def renamable(self, uri: str, position: lsp.Position) -> lsp.Range | None:
        found, named = self._named(uri, position)
        if found is None or named is None or not self._written(found, named):
            return None
        return self.positions(found).range(named.span)

    def rename(self, uri: str, position: lsp.Position, name: str) -> lsp.WorkspaceEdit | None:
        """Changes a name everywhere. Raises Refused for one that could not be a name, or is taken."""
        found, named = self._named(uri, position)
        if found is None or named is None:
            return None
        ids = named.name.kind in (names.NODE, names.EDGE, names.BRANCH)
        if not (is_id(name) if ids else is_field_name(name)):
            raise Refused(f"`{name}` is no name: write {IDENTIFIER_FORM}")
        everything = found.analysis.occurrences
        if any(one.name == named.name._replace(path=(*named.name.path[:-1], name)) for one in everything):
            raise Refused(f"there is a `{name}` already")
        same = [one for one in everything if one.name == named.name]
        if not found.analysis.loaded.whole or not all(self._written(found, one) for one in same):
            raise Refused("it cannot be renamed: the document is broken, or the name stands in a text of many lines")
        at = self.positions(found)
        return lsp.WorkspaceEdit(changes={uri: [lsp.TextEdit(at.range(one.span), name) for one in same]})

    def _written(self, found: Open, one: Occurrence) -> bool:
        """Whether exactly the name stands at the place."""
        span, lines = one.span, found.analysis.lines
        if span.line != span.end_line or span.line > len(lines):
            return False
        return lines[span.line - 1][span.column - 1 : span.end_column - 1] == one.name.path[-1]

    def _named(self, uri: str, position: lsp.Position) -> tuple[Open | None, Occurrence | None]:
        found = self.documents.get(uri)
        if found is None or not found.is_plan:
            return None, None
        return found, names.at(found.analysis.occurrences, *self.positions(found).place(position))

    def outline(self, uri: str) -> list[lsp.DocumentSymbol]:
        found = self.documents.get(uri)
        if found is None or not found.is_plan or found.analysis.own_view is None:
            return []
        at = self.positions(found)
        return [answers.symbol(entry, at) for entry in outline(found.analysis.own_view)]

    def actions(self, uri: str, wanted: lsp.Range) -> list[lsp.CodeAction]:
        """Quick fixes of the diagnostics that the range touches."""
        found = self.documents.get(uri)
        if found is None or not found.is_plan:
            return []
        at, made = self.positions(found), []
        for fault in found.analysis.diagnostics:
            shown = answers.diagnostic(fault, at, uri, self.page(fault.code) if fault.code in CODES else None)
            if shown.range.start <= wanted.end and wanted.start <= shown.range.end:
                made += [answers.action(fix, shown, at, uri) for fix in fixes.fixes(found.analysis, fault)]
        return made


def own_pages() -> Callable[[str], str | None]:
    """The pages of codes that stand beside the source, where it is a working copy."""
    folder = Path(__file__).resolve().parents[5] / "docs" / "diagnostics"
    return lambda code: (folder / f"{code}.md").as_uri() if (folder / f"{code}.md").is_file() else None


def pages_at(pattern: str) -> Callable[[str], str | None]:
    """Pages at an address with `{code}` in it."""
    return lambda code: pattern.replace("{code}", code)
