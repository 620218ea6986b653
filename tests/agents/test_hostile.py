"""A hostile model behind the port: whatever it says, nothing happens outside the allowance, and every loop ends."""

from __future__ import annotations

import contextlib
import json
import random
import re
from typing import Any

import pytest

from loopstep.gateways.files import Caps
from loopstep.gateways.models import ModelRefused, ModelUnavailable, Request, user
from loopstep.registry.records import Entry
from loopstep.runtime.tool_loop import Bounds, LoopEnded, tool_loop
from loopstep.runtime.tools.account import Account
from loopstep.runtime.tools.allowance import allowance_of_action, allowance_of_entry, make_tools
from loopstep.runtime.tools.limits import CALLS, CONVERSATION_BYTES
from tests.agent_world import OTHER, RUN, Watched, Workshop, agent, pins, skill, source, stays_inside, workshop
from tests.agents.hostile import Hostile

TRIES, PARTS = 10_000, 10
STEPS, TOKENS = 6, 4_000
CAPS = Caps(files=40, file_bytes=5_000, run_bytes=110_000)

BEGIN = {
    (RUN, ".agentignore"): "secret/\n*.key\n",
    (RUN, "secret/key.txt"): "the key",
    (RUN, "token.key"): "the token",
    (RUN, "a.md"): "a",
    (RUN, "docs/b.md"): "b",
    (RUN, "big.md"): "big " * 20_000,
    (OTHER, "private.md"): "private",
}
REGISTERED = [
    *(skill("french", [{"name": "text", "required": True}]), skill("writer", [{"name": "text"}]), skill("other")),
    *(source("manual"), source("salaries")),
]
ENDINGS = ("LoopEnded", "ModelRefused", "ModelUnavailable")
BUILT_IN = ("list_files", "read_file", "write_file", "search_knowledge")


class Allowed:
    """What one try allows, in the test's own words."""

    def __init__(self, chance: random.Random) -> None:
        self.built_in = [name for name in BUILT_IN if chance.random() < 0.6]
        self.skills = [name for name in ("french", "writer") if chance.random() < 0.5]
        self.sources = [name for name in ("manual",) if chance.random() < 0.7]

    def entry(self) -> Entry:
        return agent("worker", tools=self.built_in, skills=self.skills, sources=self.sources)

    @property
    def names(self) -> set[str]:
        searches = {"search_knowledge"} if not self.sources else set()
        return set(self.built_in) - searches | {f"skill_{name}" for name in self.skills}


def attempt(seed: int) -> tuple[Hostile, Workshop, Allowed, Account, str]:
    """One agent's work with one hostile model, and how it ended."""
    allowed, model, account = Allowed(random.Random(-seed)), Hostile(seed), Account()
    shop = workshop(model, *REGISTERED, files=Watched(BEGIN, CAPS))
    grant = allowance_of_entry(allowed.entry(), pins(*REGISTERED), shop.means.registry)
    bounds = Bounds(STEPS, TOKENS, lambda: 60.0)
    tools = make_tools(grant, shop.means, RUN, "m", bounds, account)
    request = Request("m", "You are worker.", (user("Go."),))
    try:
        ended = tool_loop(model, request, tools, bounds, account)
        ended.encode("utf-8")
    except LoopEnded as end:
        ended = f"LoopEnded: {end}"
    except (ModelRefused, ModelUnavailable) as end:
        ended = type(end).__name__
    return model, shop, allowed, account, ended


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_happens_outside_the_allowance(part: int) -> None:
    endings: dict[str, int] = {}
    for seed in range(part * TRIES // PARTS + 1, (part + 1) * TRIES // PARTS + 1):
        model, shop, allowed, account, ended = attempt(seed)
        check_files(shop, allowed)
        check_knowledge(shop, allowed)
        check_models(model, allowed)
        check_record(model, account, ended)
        name = ended.partition(":")[0] if ended.startswith(ENDINGS) else "answer"
        endings[name] = endings.get(name, 0) + 1
    assert set(endings) == {"answer", *ENDINGS}, "the tries reach every ending"


def check_files(shop: Workshop, allowed: Allowed) -> None:
    """Other runs and what is ignored are as they were; every path stays inside; no tool acts that is not allowed."""
    for key, text in BEGIN.items():
        if key[0] == OTHER or is_ignored(key[1]):
            assert shop.files.objects[key] == text.encode(), key
    for run, path in shop.files.objects:
        assert run == RUN or (run, path) in BEGIN
        assert (run, path) in BEGIN or (stays_inside(path) and not is_ignored(path)), path
    for operation, run, path in shop.files.touched:
        assert run == RUN
        if operation == "read" and path != ".agentignore":
            assert "read_file" in allowed.built_in and stays_inside(path) and not is_ignored(path)
        if operation == "write":
            assert "write_file" in allowed.built_in
    if "write_file" not in allowed.built_in:
        assert shop.files.objects == {key: text.encode() for key, text in BEGIN.items()}
    assert sum(map(len, shop.files.objects.values())) < 111_000 and len(shop.files.objects) <= 41


def is_ignored(path: str) -> bool:
    return path == ".agentignore" or path.startswith("secret/") or path.endswith(".key")


def check_knowledge(shop: Workshop, allowed: Allowed) -> None:
    for sources, query, top_k in shop.knowledge.asked:
        assert "search_knowledge" in allowed.names
        assert list(sources) == allowed.sources and 1 <= top_k <= 20 and 0 < len(query) <= 2_000
        query.encode("utf-8")


def check_models(model: Hostile, allowed: Allowed) -> None:
    """The model is asked within bounds; its words come back only as a conversation that a service would take."""
    own = [each for each in model.requests if each.system == "You are worker."]
    assert 1 <= len(own) <= STEPS and len(model.requests) <= STEPS + STEPS * CALLS
    for request in own:
        assert {tool.name for tool in request.tools} == allowed.names
    check_conversation(own[-1])
    for request in model.requests:
        if request not in own:
            assert request.tools == () and len(request.messages) == 1
            assert re.match(r"You are (\w+)\.", request.system)[1] in allowed.skills  # type: ignore[index]


def check_conversation(request: Request) -> None:
    text = json.dumps(request.messages, ensure_ascii=False, allow_nan=False)
    assert len(text.encode("utf-8")) < CONVERSATION_BYTES * 1.3, "with the form around the texts"
    assert [message["role"] for message in request.messages] == ["user", "assistant"] * (len(request.messages) // 2) + [
        "user"
    ]
    seen: set[str] = set()
    for said, told in zip(request.messages[1::2], request.messages[2::2], strict=True):
        uses = [block["toolUse"] for block in said["content"] if "toolUse" in block]
        results = [block["toolResult"] for block in told["content"]]
        ids = [each["toolUseId"] for each in uses]
        assert ids == [each["toolUseId"] for each in results] and len(set(ids)) == len(ids) and not seen & set(ids)
        seen |= set(ids)
        for use in uses:
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", use["name"]) and isinstance(use["input"], dict)
        for result in results:
            check_result(result)
        done = [each["content"][0]["text"] for each in results if each["status"] != "error"]
        assert len(done) <= CALLS and sum(map(len, done)) < 101_000 and len(ids) <= 64


def check_result(result: Any) -> None:
    text = result["content"][0]["text"]
    if result["status"] == "error":
        assert len(text) <= 600
    elif not text.startswith("[left out"):
        assert text.startswith("<data>") and text.endswith("</data>") and len(text) < 20_100
        assert "<data" not in text[6:].lower() and text.lower().count("</data") == 1


def check_record(model: Hostile, account: Account, ended: str) -> None:
    """Every call that was said has its entry or is counted; what was not carried out says why."""
    used = account.to_json()
    entries = used.get("toolCalls", [])
    recorded = len(entries) + used.get("omitted", 0)
    if not ended.startswith(ENDINGS) or ended.startswith("LoopEnded: no answer"):
        assert recorded == len(model.calls)
    assert recorded <= len(model.calls)
    for entry in entries:
        assert entry["outcome"] in ("done", "failed", "refused") and (entry["outcome"] == "done") != ("reason" in entry)
    names = {call.name for call in model.calls if call.name not in {f"skill_{each}" for each in ("french", "writer")}}
    for entry in entries:
        if entry["outcome"] == "done" and not entry["tool"].startswith("skill_"):
            assert entry["tool"] in names & set(BUILT_IN)
    json.dumps(used, ensure_ascii=False).encode("utf-8")


def test_every_call_is_refused_where_nothing_is_allowed() -> None:
    refused = 0
    for seed in range(1, 301):
        model, account = Hostile(seed), Account()
        shop = workshop(model, *REGISTERED, files=Watched(BEGIN))
        allowed, bounds = allowance_of_action([], {}, shop.means.registry), Bounds(STEPS, TOKENS, lambda: 9.0)
        tools = make_tools(allowed, shop.means, RUN, "m", bounds, account)
        with contextlib.suppress(LoopEnded, ModelRefused, ModelUnavailable):
            tool_loop(model, Request("m", "s", (user("Go."),)), tools, bounds, account)
        entries = account.to_json().get("toolCalls", [])
        assert {entry["outcome"] for entry in entries} <= {"refused"}
        assert shop.files.touched == [] and shop.knowledge.asked == []
        refused += len(entries)
    assert refused > 500
