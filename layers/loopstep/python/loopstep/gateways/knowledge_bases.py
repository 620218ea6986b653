"""Amazon Bedrock Knowledge Bases: `Retrieve` of bedrock-agent-runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

MOST_QUERY = 1000  # characters that Retrieve takes everywhere (API reference, KnowledgeBaseQuery)
_LONGEST = 30  # seconds

_SENTENCES = {
    "ResourceNotFoundException": "there is no such knowledge base",
    "AccessDeniedException": "this stack may not ask the knowledge base",
    "ValidationException": "the knowledge base does not take the request",
    "ThrottlingException": "the knowledge base is asked too often",
    "ServiceQuotaExceededException": "the knowledge base's quota is used up",
}


class KnowledgeBaseFailed(Exception):
    """The knowledge base gave no answer; the message is a sentence without data."""


class KnowledgeBases:
    """Over a client that is made for the seconds that it may wait for an answer; the SDK repeats once."""

    def __init__(self, client: Callable[[int], Any]) -> None:
        self._client = client

    def retrieve(self, base: str, query: str, limit: int, seconds: float) -> list[Any]:
        """At most `limit` results, best first, as the service has them. Raises KnowledgeBaseFailed."""
        try:
            answer = self._client(min(max(int(seconds), 1), _LONGEST)).retrieve(
                knowledgeBaseId=base,
                retrievalQuery={"text": query[:MOST_QUERY]},
                retrievalConfiguration={"vectorSearchConfiguration": {"numberOfResults": limit}},
            )
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            raise KnowledgeBaseFailed(_SENTENCES.get(code, "the knowledge base failed")) from None
        except BotoCoreError:
            raise KnowledgeBaseFailed("the knowledge base does not answer") from None
        results = answer.get("retrievalResults")
        return results if isinstance(results, list) else []
