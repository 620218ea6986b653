"""The stack's event bus (EventBridge)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from loopstep.types.text import json_text

SOURCE = "loopstep"
DETAIL_LIMIT = 200 * 1024  # bytes; PutEvents takes 256 KiB an entry, with its other parts


class NotPublished(Exception):
    """The bus did not take an event; the argument is its error code, not data."""


class EventBus:
    """Publishes events. `events` gives the client and is called at the first event."""

    def __init__(self, events: Callable[[], Any], bus: str) -> None:
        self._events, self._bus = events, bus

    def publish(self, detail_type: str, detail: dict[str, Any], large: str) -> None:
        """Publish one event. Where the detail is above DETAIL_LIMIT its field `large` is left out, and said to be.

        The event then has `<large>LeftOut: true`, and its ids tell what to fetch. Raises NotPublished.
        """
        entry = {
            "Source": SOURCE,
            "DetailType": detail_type,
            "Detail": _fitting(detail, large),
            "EventBusName": self._bus,
        }
        try:
            reply = self._events().put_events(Entries=[entry])
        except ClientError as error:
            raise NotPublished(error.response["Error"]["Code"]) from None
        except BotoCoreError as error:
            raise NotPublished(type(error).__name__) from None
        if reply.get("FailedEntryCount"):
            raise NotPublished(str(reply["Entries"][0].get("ErrorCode")))


def _fitting(detail: dict[str, Any], large: str) -> str:
    text = json_text(detail)
    if len(text.encode()) <= DETAIL_LIMIT:
        return text
    return json_text({**{name: value for name, value in detail.items() if name != large}, f"{large}LeftOut": True})
