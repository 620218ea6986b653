"""Models behind Amazon Bedrock's Converse API.

Throttled, overloaded or lost requests are repeated here, with a growing pause, as long as the caller's time allows; the
SDK repeats none, since only the caller knows how long it may take.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from loopstep.gateways.converse import arguments, read_reply
from loopstep.gateways.models import ModelRefused, ModelUnavailable, Reply, Request

TRIES = 4
_FIRST_PAUSE = 0.5  # seconds, doubled each time, of which a random part is taken
_LONGEST_PAUSE = 8.0
_SHORTEST_TRY = 1.0  # seconds; with less left no request is sent

# What another moment may bring. Anything of 500 and above counts as well.
_PASSING = {
    "ThrottlingException",
    "TooManyRequestsException",
    "ServiceUnavailableException",
    "ModelNotReadyException",
    "ModelTimeoutException",
    "ModelErrorException",
    "InternalServerException",
    "InternalFailure",
}
# What lasts until somebody changes the account, the stack or the plan: the request itself may be fine.
_LASTING = {
    "AccessDeniedException",
    "ResourceNotFoundException",
    "ServiceQuotaExceededException",
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "IncompleteSignature",
    "MissingAuthenticationTokenException",
    "InvalidClientTokenId",
    "ExpiredTokenException",
    "SignatureDoesNotMatch",
    "OptInRequired",
}
# Bedrock says with ValidationException that a model is not there, or not to be had in this way.
_NO_MODEL = ("model identifier", "on-demand throughput", "invalid modelid", "end of its life")

STAND_IN = "[ministack mock"  # how the local engine's reply begins when it reaches no model


class _Passing(Exception):
    """A try that failed and that another may follow; the message says how, without data."""


class _NoTemperature(Exception):
    """The request's temperature is not for this model."""


class BedrockModels:
    """`client` gives the bedrock-runtime client for a read timeout in seconds; `default` is the stack's model.

    With `refuse_stand_in` what the local engine says without a model server counts as no answer.
    """

    def __init__(
        self,
        client: Callable[[int], Any],
        default: str,
        random_source: random.Random,
        sleep: Callable[[float], None],
        refuse_stand_in: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._default, self._random = client, default, random_source
        self._sleep, self._refuse_stand_in, self._monotonic = sleep, refuse_stand_in, monotonic

    def converse(self, request: Request, seconds: float) -> Reply:
        """As `Models.converse` says."""
        model = request.model or self._default
        if not model:
            raise ModelUnavailable("no model is named, neither by the node nor by the stack's parameter ModelId")
        request, end = request._replace(model=model), self._monotonic() + seconds
        said = "there was no time to ask"
        for number in range(TRIES):
            left = end - self._monotonic()
            if left < _SHORTEST_TRY:
                break
            try:
                return self._try(request, left)
            except _Passing as failure:
                said = str(failure)
            except _NoTemperature:
                request, said = request._replace(temperature=None), "it takes no temperature"
                continue
            if number + 1 < TRIES:
                self._pause(number, end - self._monotonic())
        raise ModelUnavailable(f"the model cannot be reached: {said}")

    def _try(self, request: Request, seconds: float) -> Reply:
        client, asked = self._client(_read_timeout(seconds)), arguments(request)
        try:
            data = client.converse(**asked)
        except ClientError as error:
            raise _failure(error, request.temperature is not None) from None
        except BotoCoreError as error:
            raise _Passing(type(error).__name__) from None
        except Exception:  # the SDK reads a reply of another shape with whatever error that gives
            raise _Passing("its reply could not be read") from None
        reply = read_reply(data, request.model)
        if reply is None:
            raise _Passing("its reply has no message")
        if self._refuse_stand_in and reply.text.startswith(STAND_IN):
            raise _Passing("the model server given with --model-url failed or did not answer")
        return reply

    def _pause(self, number: int, left: float) -> None:
        longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**number)
        self._sleep(min(self._random.random() * longest, max(0.0, left)))


def _failure(error: ClientError, has_temperature: bool) -> Exception:
    """What an error of the service means. Its message may hold parts of the request and is left out."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    message = str(error.response.get("Error", {}).get("Message", "")).lower()
    if code in _PASSING or status == 429 or status >= 500:
        return _Passing(code)
    if code in _LASTING or status in (401, 403):
        return ModelUnavailable(f"the model is not to be had: {code}")
    if code == "ValidationException" and any(text in message for text in _NO_MODEL):
        return ModelUnavailable("the model is not to be had: there is none of this id, or not in this way")
    if code == "ValidationException" and "temperature" in message and has_temperature:
        return _NoTemperature()
    return ModelRefused(f"the model's service refuses the request: {code}")


def _read_timeout(seconds: float) -> int:
    """Whole seconds, above a minute in steps of ten: each value has a client of its own."""
    whole = max(1, int(seconds))
    return whole if whole < 60 else whole - whole % 10
