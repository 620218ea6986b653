"""Agents without a cloud: files, sources and skills in memory, a model that says what a test has it say."""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from loopstep.gateways.files import Caps, File, Link
from loopstep.gateways.models import Models, Reply, Request, ToolCall, Usage
from loopstep.knowledge.port import Found
from loopstep.registry.records import AGENT, SKILL, SOURCE, Entry
from loopstep.registry.store import UnknownEntry
from loopstep.runtime.tools.allowance import Means
from loopstep.runtime.working_directory import WorkingDirectory
from tests.memory_files import MemoryFiles

RUN = "run-1"
OTHER = "run-2"


class Watched(MemoryFiles):
    """Working directories that remember who touched what: `(operation, run, path)`."""

    def __init__(self, files: Mapping[tuple[str, str], str] | None = None, caps: Caps | None = None) -> None:
        super().__init__(caps)
        self.objects |= {key: text.encode() for key, text in (files or {}).items()}
        self.touched: list[tuple[str, str, str]] = []

    def listing(self, run: str) -> list[File]:
        self.touched.append(("list", run, ""))
        return super().listing(run)

    def read(self, run: str, path: str, most: int) -> bytes:
        self.touched.append(("read", run, path))
        return super().read(run, path, most)

    def write(self, run: str, path: str, body: bytes) -> None:
        self.touched.append(("write", run, path))
        super().write(run, path, body)

    def remove(self, run: str, path: str) -> None:
        raise AssertionError("no tool removes files")

    def upload(self, run: str, path: str, size: int) -> Link:
        raise AssertionError("no tool makes links")

    def download(self, run: str, path: str) -> Link:
        raise AssertionError("no tool makes links")

    def texts(self, run: str = RUN) -> dict[str, str]:
        return {path: body.decode() for (of, path), body in self.objects.items() if of == run}


class MemoryRegistry:
    """Reads entries as `RegistryStore` does."""

    def __init__(self, *entries: Entry) -> None:
        self._entries = {(each.kind, each.id, each.version): each for each in entries}

    def get(self, kind: str, id: str, version: int) -> Entry:
        if (kind, id, version) not in self._entries:
            raise UnknownEntry(f"{kind} {id} {version}")
        return self._entries[kind, id, version]


class MemoryKnowledge:
    """Finds the query itself in every source; remembers what it was asked."""

    def __init__(self, failed: bool = False) -> None:
        self.asked: list[tuple[tuple[str, ...], str, int]] = []
        self.failed = failed

    def retrieve(self, sources: Mapping[str, Any], query: str, top_k: int, seconds: float) -> Found:
        self.asked.append((tuple(sources), query, top_k))
        found = [
            {"id": f"{id}-1", "title": f"About {id}", "sourceName": id, "content": f"{id} knows: {query}"}
            for id in sources
        ]
        return Found([] if self.failed else found[:top_k], {}, self.failed, dict.fromkeys(sources, True))


Said = Reply | Exception | Callable[[Request], Reply]


class Scripted:
    """Says one thing after the other, the last again and again; remembers the requests and the time it had."""

    def __init__(self, *said: Said) -> None:
        self._said = list(said)
        self.requests: list[Request] = []
        self.seconds: list[float] = []

    def converse(self, request: Request, seconds: float) -> Reply:
        self.requests.append(request)
        self.seconds.append(seconds)
        said = self._said.pop(0) if len(self._said) > 1 else self._said[0]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else said(request)


def says(text: str = "", *calls: Any, tokens: int = 10, stop: str = "") -> Reply:
    """A reply; each call is `(name, input)` or `(name, input, id)`."""
    made = tuple(
        ToolCall(call[2] if len(call) > 2 else f"c{number}", call[0], call[1]) for number, call in enumerate(calls)
    )
    return Reply(text, made, {}, Usage(1, tokens, tokens), stop or ("tool_use" if made else "end_turn"), "the-model")


def heard(request: Request) -> list[tuple[str, bool]]:
    """The results that the newest message of a request brings: text, and whether it failed."""
    blocks = [block["toolResult"] for block in request.messages[-1]["content"] if "toolResult" in block]
    return [(each["content"][0]["text"], each["status"] == "error") for each in blocks]


def all_text(request: Request) -> str:
    """Everything that a request says, as one text."""
    return json.dumps([request.system, *request.messages], ensure_ascii=False)


def skill(id: str, inputs: Iterable[Mapping[str, Any]] = (), kind: str = SKILL, **content: Any) -> Entry:
    """A registered skill, with all keys."""
    whole: dict[str, Any] = {
        "name": id,
        "description": f"Does {id}.",
        "instructions": f"You are {id}.",
        "inputs": [{"type": "string", "required": False, "description": "", **each} for each in inputs],
        "outputs": [],
        "skills": [],
        "sources": [],
        "tools": None,
        "model": None,
    }
    return Entry(kind, id, 1, whole | content)


def agent(id: str, inputs: Iterable[Mapping[str, Any]] = (), **content: Any) -> Entry:
    """A registered agent, with all keys."""
    return skill(id, inputs, AGENT, **content)


def source(id: str) -> Entry:
    """A registered source."""
    return Entry(SOURCE, id, 1, {"name": id, "description": "", "kind": "DOCUMENT", "managed": None, "enabled": True})


def pins(*entries: Entry) -> dict[str, dict[str, int]]:
    """These as a plan version pins them."""
    made: dict[str, dict[str, int]] = {}
    for each in entries:
        made.setdefault(each.kind, {})[each.id] = each.version
    return made


class Workshop(NamedTuple):
    """Everything that tools work with, in memory."""

    files: Watched
    knowledge: MemoryKnowledge
    means: Means


def workshop(models: Models, *entries: Entry, files: Watched | None = None, failed: bool = False) -> Workshop:
    """One with these entries registered."""
    kept, knowledge = files or Watched(), MemoryKnowledge(failed)
    registry: Any = MemoryRegistry(*entries)
    means = Means(models, registry, lambda run: WorkingDirectory(kept, run), lambda: knowledge)
    return Workshop(kept, knowledge, means)


BAD = r"[\\\0-\x1f\x7f]|%[0-9a-fA-F]{2}"


def stays_inside(path: str) -> bool:
    """By the standard library's own reading, as it stands and as its look-alikes are."""
    forms = {path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFKC", path)}
    for form in forms:
        clean = posixpath.normpath(posixpath.join("/inside", form))
        if not clean.startswith("/inside/") or form.startswith("/") or re.search(BAD, form):
            return False
    return path == unicodedata.normalize("NFC", path) and len(path.encode()) <= 1024
