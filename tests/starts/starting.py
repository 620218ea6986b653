"""Those who start: patient and hurried ones, with and without a key, several at once; and what each was told."""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.parse
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

LARGE = 300_000  # characters: over what an item holds, so that the input goes by way of the bucket
TRIES = 12
SECONDS = 40.0  # that an answer may take
NOTHING = 0  # the status of no answer
ACCEPTED, CONFLICT, BUSY = 202, 409, 429

PATIENT, TWIN, HURRIED, ONCE, KEYLESS, INVOKED = "patient", "twin", "hurried", "once", "keyless", "invoked"
KINDS = {PATIENT: 35, TWIN: 20, HURRIED: 15, ONCE: 10, KEYLESS: 10, INVOKED: 10}  # of a hundred
AT_ONCE = {TWIN: 3, INVOKED: 2}  # how often a start of that kind is asked for at once


@dataclass(frozen=True, slots=True)
class Start:
    """One start; its input says its number, so that a run says whose it is."""

    number: int
    kind: str
    key: str | None
    input: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """`status` NOTHING for none; the run's id where it was accepted, else the code of the refusal."""

    status: int
    run: str | None = None
    code: str | None = None

    @property
    def unknown(self) -> bool:
        """Whether the one who asked cannot know what became of it."""
        return self.status == NOTHING or self.status >= 500


Invoke = Callable[[Start], Answer]


@dataclass(frozen=True, slots=True)
class Told:
    """All answers that one who asked for a start got."""

    start: Start
    answers: tuple[Answer, ...]


def starts(seed: int, count: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Start]:
    """So many, of all these kinds in their shares; the seed chooses."""
    chosen = random.Random(seed)
    found = [
        kinds[n] if n < len(kinds) else chosen.choices(kinds, [KINDS[each] for each in kinds])[0] for n in range(count)
    ]
    chosen.shuffle(found)
    texts = ["short" if chosen.random() < 0.9 else "é" * LARGE for _ in found]
    return [
        Start(n, kind, None if kind == KEYLESS else f"start-{seed}-{n}", {"number": n, "text": text})
        for n, (kind, text) in enumerate(zip(found, texts, strict=True))
    ]


class Starter:
    """Asks the REST API of a stack for runs of a plan; `invoke` asks its start_run function for the same."""

    def __init__(self, url: str, key: str, plan: str, invoke: Invoke) -> None:
        self._at, self._key, self._plan, self._invoke = urllib.parse.urlsplit(url), key, plan, invoke

    def all(
        self, wanted: Sequence[Start], at_once: int, tell: Callable[[int], None] = lambda count: None
    ) -> list[Told]:
        """Ask for all of them, `at_once` at a time: those that are asked for several times at once side by side."""
        asked = [each for each in wanted for _ in range(AT_ONCE.get(each.kind, 1))]
        found = []
        with ThreadPoolExecutor(at_once) as pool:
            for number, told in enumerate(pool.map(self.ask, asked), start=1):
                found.append(told)
                tell(number)
        return found

    def ask(self, start: Start) -> Told:
        """As one of its kind does."""
        if start.kind == HURRIED:
            return Told(start, (self._hang_up(start),))
        if start.kind in (ONCE, KEYLESS):
            return Told(start, (self.once(start),))
        return Told(start, self._patiently(start))

    def again(self, start: Start) -> Answer:
        """What is said to it in the end, by whom it was asked before: a key belongs to who uses it."""
        return self._patiently(start)[-1]

    def other(self, start: Start) -> Answer:
        """What it says in the end to another input under the same key."""
        return self.again(Start(start.number, start.kind, start.key, {**start.input, "text": "another"}))

    def _patiently(self, start: Start) -> tuple[Answer, ...]:
        ask, answers = self._invoke if start.kind == INVOKED else self.once, list[Answer]()
        for attempt in range(1, TRIES + 1):
            answers.append(ask(start))
            if not answers[-1].unknown and answers[-1].status != BUSY:
                break
            time.sleep(random.random() * min(3.0, 0.1 * 2**attempt))
        return tuple(answers)

    def once(self, start: Start) -> Answer:
        """The answer to one request."""
        connection = self._sent(start)
        if connection is None:
            return Answer(NOTHING)
        try:
            reply = connection.getresponse()
            body = json.loads(reply.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError):
            return Answer(NOTHING)
        finally:
            connection.close()
        said: dict[str, Any] = body if isinstance(body, dict) else {}
        return Answer(reply.status, said.get("runId") if reply.status == ACCEPTED else None, said.get("code"))

    def _hang_up(self, start: Start) -> Answer:
        """Gone before the answer."""
        connection = self._sent(start)
        if connection is not None:
            time.sleep(random.random() * 0.2)
            connection.close()
        return Answer(NOTHING)

    def _sent(self, start: Start) -> http.client.HTTPConnection | None:
        connection = http.client.HTTPConnection(self._at.hostname or "", self._at.port, timeout=SECONDS)
        headers = {"x-api-key": self._key, "content-type": "application/json"}
        if start.key is not None:
            headers["idempotency-key"] = start.key
        body = json.dumps({"input": start.input}, ensure_ascii=False).encode()
        try:
            connection.request("POST", f"{self._at.path}/plans/{self._plan}/runs", body, headers)
        except (OSError, http.client.HTTPException):
            connection.close()
            return None
        return connection
