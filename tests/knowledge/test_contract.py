"""One contract for every way that a source can be asked: own documents, and a managed knowledge base.

The managed one is asked on the local cloud, whose search is by words; without a cloud these cases are skipped.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from loopstep.cli.local import cloud
from loopstep.cli.local.project import INSTANCE, Project
from loopstep.gateways import clients
from loopstep.gateways.knowledge_bases import KnowledgeBases
from loopstep.knowledge.ask import Sources
from loopstep.knowledge.managed import Managed
from loopstep.knowledge.port import Found
from loopstep.nodes.knowledge_retrieval import EVIDENCE
from loopstep.types.conform import conform
from tests.house.modules import ROOT
from tests.knowledge.worlds import Entry, World


class Shelf(Protocol):
    """A source with documents."""

    def put(self, id: str, text: str) -> None: ...

    def remove(self, id: str) -> None: ...

    def ask(self, query: str, top_k: int = 5) -> Found: ...


class Own:
    """Documents of the source's own, asked by one function all the time."""

    def __init__(self, world: World) -> None:
        self._world, self._entry, self._function = world, world.register("shelf", name="The shelf"), world.function()

    def put(self, id: str, text: str) -> None:
        self._world.put("shelf", id, text, "text")

    def remove(self, id: str) -> None:
        self._world.remove("shelf", id)

    def ask(self, query: str, top_k: int = 5) -> Found:
        return self._function.retrieve({"shelf": self._entry}, query, top_k, 10.0)


class Base:
    """A knowledge base of the local cloud, with a data source for each document."""

    def __init__(self, endpoint: str, bucket: str) -> None:
        import boto3

        settings: Any = {"endpoint_url": endpoint, "region_name": "us-east-1"}
        self._s3, self._agent = boto3.client("s3", **settings), boto3.client("bedrock-agent", **settings)
        self._bucket, self._prefix, self._sources = bucket, f"contract/{uuid.uuid4().hex}", dict[str, str]()
        vector = {
            "type": "VECTOR",
            "vectorKnowledgeBaseConfiguration": {"embeddingModelArn": "arn:aws:bedrock:us-east-1::foundation-model/m"},
        }
        made = self._agent.create_knowledge_base(
            name=self._prefix[-20:], roleArn="arn:aws:iam::000000000000:role/kb", knowledgeBaseConfiguration=vector
        )
        self.id = made["knowledgeBase"]["knowledgeBaseId"]
        managed = {"knowledgeBaseId": self.id}
        content = {"name": "The shelf", "kind": "DOCUMENT", "managed": managed, "enabled": True}
        self._entry = Entry("shelf", content)
        nothing: Any = None
        self._sources_port = Sources(
            nothing, Managed(KnowledgeBases(clients.knowledge_bases)), lambda: 0.0, lambda *_: None
        )

    def put(self, id: str, text: str) -> None:
        self.remove(id) if id in self._sources else None
        key = f"{self._prefix}/{id}"
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=text.encode())
        place = {"bucketArn": f"arn:aws:s3:::{self._bucket}", "inclusionPrefixes": [key]}
        made = self._agent.create_data_source(
            knowledgeBaseId=self.id,
            name=id,
            dataDeletionPolicy="DELETE",
            dataSourceConfiguration={"type": "S3", "s3Configuration": place},
        )
        self._sources[id] = made["dataSource"]["dataSourceId"]
        self._agent.start_ingestion_job(knowledgeBaseId=self.id, dataSourceId=self._sources[id])

    def remove(self, id: str) -> None:
        self._s3.delete_object(Bucket=self._bucket, Key=f"{self._prefix}/{id}")
        self._agent.delete_data_source(knowledgeBaseId=self.id, dataSourceId=self._sources.pop(id))

    def ask(self, query: str, top_k: int = 5) -> Found:
        return self._sources_port.retrieve({"shelf": self._entry}, query, top_k, 10.0)

    def close(self) -> None:
        for id in list(self._sources):
            self.remove(id)
        self._agent.delete_knowledge_base(knowledgeBaseId=self.id)


@pytest.fixture(params=["own", pytest.param("managed", marks=pytest.mark.stack)])
def shelf(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    if request.param == "own":
        yield Own(request.getfixturevalue("world"))
        return
    instance = os.environ.get(INSTANCE, "")
    found = cloud.read(Project(ROOT, instance))
    if found is None:
        assert not instance, f"the local cloud {instance!r} does not run"
        pytest.skip("no local cloud; `loopstep up` starts one")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", found["endpoint"])
    for cached in (clients._session, clients.knowledge_bases):
        cached.cache_clear()
    base = Base(found["endpoint"], found["outputs"]["ValuesBucket"])
    yield base
    base.close()
    for cached in (clients._session, clients.knowledge_bases):
        cached.cache_clear()


def texts(found: Found) -> list[str]:
    return [each["content"] for each in found.evidences]


def test_what_is_put_is_found_best_first(shelf: Shelf) -> None:
    shelf.put("cats.txt", "Cats sleep most of the day.")
    shelf.put("dogs.txt", "Dogs bark and sleep at night.")
    shelf.put("fish.txt", "Fish swim.")
    assert texts(shelf.ask("when do dogs sleep")) == ["Dogs bark and sleep at night.", "Cats sleep most of the day."]


def test_evidence_is_as_the_language_has_it(shelf: Shelf) -> None:
    shelf.put("cats.txt", "Cats sleep.")
    found = shelf.ask("cats")
    (evidence,) = found.evidences
    assert conform(evidence, EVIDENCE)[1] == [] and evidence.keys() <= EVIDENCE.properties.keys()  # type: ignore[union-attr]
    assert (evidence["sourceType"], evidence["evidenceType"], evidence["sourceName"]) == (
        "DOCUMENT",
        "passage",
        "The shelf",
    )
    assert evidence["id"].startswith("shelf/") and "cats.txt" in evidence["sourceRef"] and evidence["score"] > 0
    assert json.loads(json.dumps(evidence)) == evidence and None not in evidence.values()
    assert (found.failed, dict(found.asked)) == (False, {"shelf": True})
    assert found.diagnostics.keys() == {"datasource:shelf"} and found.diagnostics["datasource:shelf"]["found"] == 1


def test_ids_differ(shelf: Shelf) -> None:
    for n in range(4):
        shelf.put(f"d{n}.txt", f"Number {n} of the cats.")
    assert len({each["id"] for each in shelf.ask("cats").evidences}) == 4


def test_at_most_top_k(shelf: Shelf) -> None:
    for n in range(7):
        shelf.put(f"d{n}.txt", f"Number {n} of the cats.")
    assert [len(texts(shelf.ask("cats", top_k))) for top_k in (1, 3, 100)] == [1, 3, 7]
    assert len(texts(shelf.ask("cats"))) == 5


def test_a_replaced_text_is_not_found_any_more(shelf: Shelf) -> None:
    shelf.put("a.txt", "Cats sleep.")
    assert len(texts(shelf.ask("cats"))) == 1
    shelf.put("a.txt", "Dogs bark.")
    assert (texts(shelf.ask("cats")), texts(shelf.ask("dogs"))) == ([], ["Dogs bark."])


def test_a_removed_document_is_not_found_any_more(shelf: Shelf) -> None:
    shelf.put("a.txt", "Cats sleep.")
    shelf.put("b.txt", "Cats eat.")
    assert len(texts(shelf.ask("cats"))) == 2
    shelf.remove("a.txt")
    assert texts(shelf.ask("cats")) == ["Cats eat."]


def test_nothing_found_is_an_answer(shelf: Shelf) -> None:
    shelf.put("a.txt", "Cats sleep.")
    found = shelf.ask("elephants")
    assert found.evidences == [] and not found.failed and found.diagnostics["datasource:shelf"]["found"] == 0


@pytest.mark.parametrize(
    "query", ['"', "cats AND", "NEAR(cats", "cats*", "a:b", "(", "cats'; --", "x" * 20_000, "\t猫"]
)
def test_a_query_is_data(shelf: Shelf, query: str) -> None:
    shelf.put("a.txt", "Cats sleep.")
    found = shelf.ask(query)
    assert not found.failed and len(found.evidences) <= 1


@pytest.mark.parametrize("query", ["", "  \n"])
def test_an_empty_query_finds_nothing(shelf: Shelf, query: str) -> None:
    found = shelf.ask(query)
    assert found.evidences == [] and not found.failed and found.diagnostics == {
        "error:query": "there is nothing in the query"
    }  # fmt: skip


# -- the knowledge base alone ----------------------------------------------------------------------------------------


class _Client:
    """Answers as the service may: a reply, or an exception."""

    def __init__(self, reply: Any) -> None:
        self.reply, self.asked = reply, list[dict[str, Any]]()

    def retrieve(self, **request: Any) -> Any:
        self.asked.append(request)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def ask(client: _Client, kind: str = "DOCUMENT") -> Found:
    entry = Entry("kb", {"kind": kind, "managed": {"knowledgeBaseId": "KB12345678"}, "enabled": True})
    nothing: Any = None
    port = Sources(nothing, Managed(KnowledgeBases(lambda seconds: client)), lambda: 0.0, lambda *_: None)
    return port.retrieve({"kb": entry}, "x" * 5_000, 3, 10.0)


def test_rows_and_chunks_of_a_knowledge_base() -> None:
    results = [
        {
            "content": {"type": "ROW", "row": [{"columnName": "price", "columnValue": "3", "type": "STRING"}]},
            "location": {"type": "S3", "s3Location": {"uri": "s3://b/p.csv"}},
            "score": 0.5,
            "metadata": {"x-amz-bedrock-kb-chunk-id": "c1", "title": "Prices", "year": 2026},
        },
        {"content": {"type": "TEXT", "text": ""}},
        {"content": {"type": "TEXT", "text": "No place, no score."}},
        "no result at all",
    ]
    client = _Client({"retrievalResults": results})
    found = ask(client, "STRUCTURED_DATA")
    assert found.evidences == [
        {
            "id": "kb/c1", "sourceType": "STRUCTURED_DATA", "evidenceType": "row", "title": "Prices",
            "content": "price: 3", "score": 0.5, "sourceName": "kb", "sourceRef": "s3://b/p.csv",
            "payload": {"price": "3"}, "metadata": {"title": "Prices", "year": 2026},
        },
        {
            "id": "kb/#2", "sourceType": "STRUCTURED_DATA", "evidenceType": "row", "content": "No place, no score.",
            "score": 0, "sourceName": "kb",
        },
    ]  # fmt: skip
    (asked,) = client.asked
    assert len(asked["retrievalQuery"]["text"]) == 1000 and asked["knowledgeBaseId"] == "KB12345678"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("ResourceNotFoundException", "there is no such knowledge base"),
        ("AccessDeniedException", "this stack may not ask the knowledge base"),
        ("ThrottlingException", "the knowledge base is asked too often"),
        ("InternalServerException", "the knowledge base failed"),
    ],
)
def test_faults_of_a_knowledge_base(code: str, sentence: str) -> None:
    from botocore.exceptions import ClientError

    found = ask(_Client(ClientError({"Error": {"Code": code, "Message": "with data"}}, "Retrieve")))
    assert found.failed and found.diagnostics == {"error:kb": sentence}


def test_a_knowledge_base_out_of_reach() -> None:
    from botocore.exceptions import EndpointConnectionError

    assert ask(_Client(EndpointConnectionError(endpoint_url="x"))).diagnostics == {
        "error:kb": "the knowledge base does not answer"
    }
    assert ask(_Client({})).evidences == []
