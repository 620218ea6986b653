"""Answers of the API kept for those who repeat a request under the same Idempotency-Key.

They stand in the runs table, each in a partition of its own whose name no run can have, and expire with its TTL. One
conditional write claims the key before anything is done, so a repetition never acts at the same time:

    request A                     the same again, B
    puts the claim
    acts                          ✗ finds the claim: comes again later
    adds the answer
                                  ✗ finds the answer: gives it again

A claim whose function died is free after its lease, which outlasts every invocation.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

from loopstep.gateways.blobs import Blobs
from loopstep.runs.items import Item, number, text
from loopstep.runs.schema import TTL_ATTRIBUTE

PARTITION = "reply#"  # run ids have no `#`
SORT = "reply"
OBJECTS = "replies/"
LEASE_SECONDS = 40  # the API function ends after 30
INLINE_BYTES = 256 * 1024  # compressed; a longer body goes to the bucket

_FREE = "attribute_not_exists(#run) OR #expires <= :now OR (attribute_not_exists(#code) AND #lease <= :now)"
_OWN = {"ConditionExpression": "#owner = :owner"}


class Reply(NamedTuple):
    """What was answered."""

    status: int
    media_type: str
    body: str


class Found(NamedTuple):
    """What stands under a key: of which request, and its answer, None while it goes on."""

    request: str
    reply: Reply | None


class ReplyStore:
    """Claims and answers by id (of at most 128 hex digits). `now` gives seconds since 1970."""

    def __init__(self, client: Any, table: str, blobs: Blobs, now: Callable[[], float], keep_seconds: int) -> None:
        self._client, self._table, self._blobs, self._now = client, table, blobs, now
        self._keep = keep_seconds

    def claim(self, id: str, request: str, owner: str) -> Found | None:
        """Take the key for this request; None where it is taken now, else what stands there."""
        now = int(self._now())
        item = {
            **_key(id),
            "request": text(request),
            "owner": text(owner),
            "lease": number(now + LEASE_SECONDS),
            TTL_ATTRIBUTE: number(now + self._keep),
        }
        names = {"#run": "run", "#expires": TTL_ATTRIBUTE, "#code": "code", "#lease": "lease"}
        try:
            self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression=_FREE,
                ExpressionAttributeNames=names,
                ExpressionAttributeValues={":now": number(now)},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self._client.exceptions.ConditionalCheckFailedException as refused:
            found: Item = refused.response["Item"]
            if found["owner"] == item["owner"]:  # an own write whose reply was lost
                return None
            return Found(found["request"]["S"], self._reply(found))
        return None

    def keep(self, id: str, owner: str, reply: Reply) -> None:
        """Add the answer to an own claim; nothing where that is another's by now."""
        body = zlib.compress(reply.body.encode())
        values: dict[str, Any] = {":code": number(reply.status), ":media": text(reply.media_type)}
        if len(body) > INLINE_BYTES:
            self._blobs.put(OBJECTS + id, body)
            setting = "SET #code = :code, #media = :media"
        else:
            values[":body"] = text(base64.b64encode(body).decode())
            setting = "SET #code = :code, #media = :media, #body = :body"
        names = {"#owner": "owner", "#code": "code", "#media": "media"} | (
            {"#body": "body"} if ":body" in values else {}
        )
        try:
            self._client.update_item(
                TableName=self._table,
                Key=_key(id),
                UpdateExpression=setting,
                ExpressionAttributeNames=names,
                ExpressionAttributeValues={**values, ":owner": text(owner)},
                **_OWN,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return

    def free(self, id: str, owner: str) -> None:
        """Give an own claim back."""
        try:
            self._client.delete_item(
                TableName=self._table,
                Key=_key(id),
                ExpressionAttributeNames={"#owner": "owner"},
                ExpressionAttributeValues={":owner": text(owner)},
                **_OWN,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return

    def _reply(self, item: Item) -> Reply | None:
        if "code" not in item:
            return None
        object_key = OBJECTS + item["run"]["S"][len(PARTITION) :]
        packed = base64.b64decode(item["body"]["S"]) if "body" in item else self._blobs.get(object_key)
        return Reply(int(item["code"]["N"]), item["media"]["S"], zlib.decompress(packed).decode())


def _key(id: str) -> dict[str, Any]:
    return {"run": text(PARTITION + id), "sk": text(SORT)}
