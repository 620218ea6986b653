"""The stack's dead-letter queue: what could not be done, with its reasons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

_HELD_SECONDS = 30  # how long a message that is looked at stays out of others' sight
_AT_ONCE = 10
MOST = 200  # messages that one look goes through


class Letter(NamedTuple):
    """A message. `data` is its body as JSON data, None where it is none; `error` what Lambda says went wrong."""

    id: str
    receipt: str
    sent_at: int  # milliseconds since 1970
    data: Any
    error: str


class DeadLetters:
    """The queue at `url`. `client` is called at the first use."""

    def __init__(self, client: Any, url: str) -> None:
        self._client, self._url = client, url

    def send(self, data: dict[str, Any]) -> None:
        """Put one in."""
        self._client.send_message(QueueUrl=self._url, MessageBody=json.dumps(data, ensure_ascii=False))

    def look(self) -> list[Letter]:
        """The messages that can be seen now, the oldest first, at most MOST; they stay in the queue."""
        found = [letter for batch in self._received() for letter in batch]
        self._release(found)
        return sorted(found, key=lambda letter: (letter.sent_at, letter.id))

    def take(self, id: str) -> Letter | None:
        """The message of that id, held for half a minute; None where it cannot be seen now."""
        others: list[Letter] = []
        try:
            for batch in self._received():
                others += [letter for letter in batch if letter.id != id]
                if wanted := [letter for letter in batch if letter.id == id]:
                    return wanted[0]
        finally:
            self._release(others)
        return None

    def remove(self, letter: Letter) -> None:
        """Take it out."""
        self._client.delete_message(QueueUrl=self._url, ReceiptHandle=letter.receipt)

    def put_back(self, letter: Letter) -> None:
        """Let others see it again."""
        self._release([letter])

    def _received(self) -> Iterator[list[Letter]]:
        seen: set[str] = set()
        while len(seen) < MOST:
            answer = self._client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=_AT_ONCE,
                VisibilityTimeout=_HELD_SECONDS,
                WaitTimeSeconds=1,
                MessageSystemAttributeNames=["SentTimestamp"],
                MessageAttributeNames=["ErrorMessage", "ErrorCode"],
            )
            fresh = [each for each in answer.get("Messages", []) if each["MessageId"] not in seen]
            if not fresh:
                return
            seen.update(each["MessageId"] for each in fresh)
            yield list(map(_letter, fresh))

    def _release(self, letters: list[Letter]) -> None:
        for each in letters:
            self._client.change_message_visibility(QueueUrl=self._url, ReceiptHandle=each.receipt, VisibilityTimeout=0)


def _letter(message: dict[str, Any]) -> Letter:
    try:
        data = json.loads(message["Body"])
    except ValueError:
        data = None
    attributes = message.get("MessageAttributes", {})
    error = attributes.get("ErrorMessage", {}).get("StringValue", "")
    sent = int(message.get("Attributes", {}).get("SentTimestamp", "0"))
    return Letter(message["MessageId"], message["ReceiptHandle"], sent, data, error)
