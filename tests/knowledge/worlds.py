"""Worlds of documents for tests: the stores over a stack in moto, and functions that ask them, each with its cache."""

from __future__ import annotations

import itertools
import threading
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.gateways.knowledge_bases import KnowledgeBases
from loopstep.knowledge.ask import Sources
from loopstep.knowledge.embedded import Embedded
from loopstep.knowledge.managed import Managed
from loopstep.knowledge.port import DOCUMENT, Found
from loopstep.knowledge.store import DocumentStore
from loopstep.registry.store import RegistryStore
from loopstep.services.put_documents import Draft, Librarian, put_documents, remove_document
from loopstep.services.register import Registrar, register


class Entry(NamedTuple):
    """A source as the registry has it."""

    id: str
    content: dict[str, Any]


class Locked:
    """A client of moto, which is not made for threads: one call at a time, as each is atomic on AWS."""

    def __init__(self, client: Any, lock: Any) -> None:
        self._client, self._lock = client, lock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found):
            return found

        def call(*args: Any, **arguments: Any) -> Any:
            with self._lock:
                return found(*args, **arguments)

        return call


class World:
    """One stack. `function()` is a new function with an empty cache."""

    def __init__(self, aws: Any) -> None:
        lock = threading.RLock()
        self.dynamodb, self.s3 = Locked(aws.dynamodb, lock), Locked(aws.s3, lock)
        self.now, self.failures = 0.0, list[tuple[str, str]]()
        self._ids = itertools.count(1)
        from loopstep.gateways.objects import S3Objects

        self.registry = RegistryStore(self.dynamodb, "plans", lambda: S3Objects(self.s3, "values"))
        self.documents = DocumentStore(self.dynamodb, "plans")
        self.blobs = Blobs(lambda: self.s3, "values")

    def new_id(self) -> str:
        return f"{next(self._ids):016x}"

    def librarian(self, pause: Any = lambda attempt: None) -> Librarian:
        now = "2026-01-01T00:00:00.000Z"
        return Librarian(self.registry, self.documents, self.blobs, lambda: now, self.new_id, pause)

    def register(self, id: str = "handbook", kind: str = DOCUMENT, **more: Any) -> Entry:
        import json

        now = "2026-01-01T00:00:00.000Z"
        registrar = Registrar(self.registry, lambda: now, self.new_id, lambda attempt: None, self.documents)
        done = register(registrar, "source", id, json.dumps({"kind": kind, **more}).encode())
        return Entry(id, done.entry.content)

    def put(self, source: str, id: str, text: str | bytes, form: str = "markdown", title: str = "") -> str:
        data = text.encode() if isinstance(text, str) else text
        (put,) = put_documents(self.librarian(), source, [Draft(id, title or id, form, data)])
        return put.outcome

    def remove(self, source: str, id: str) -> None:
        remove_document(self.librarian(), source, id)

    def embedded(self) -> Embedded:
        return Embedded(self.documents, self.blobs, lambda: self.now, self.new_id, self.note)

    def note(self, source: str, fault: str) -> None:
        self.failures.append((source, fault))

    def function(self, embedded: Embedded | None = None, client: Any = None) -> Sources:
        managed = Managed(KnowledgeBases(client))
        return Sources(embedded or self.embedded(), managed, lambda: self.now, self.note)

    def ask(self, function: Sources, entry: Entry, query: str, top_k: int = 5) -> Found:
        return function.retrieve({entry.id: entry}, query, top_k, 10.0)

    def keys(self, prefix: str = "source/") -> list[str]:
        found = self.s3.list_objects_v2(Bucket="values", Prefix=prefix).get("Contents", [])
        return [each["Key"] for each in found]


def refs(found: Found) -> list[str]:
    """The documents found, in order."""
    return [each["metadata"]["document"] for each in found.evidences]
