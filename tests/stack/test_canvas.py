"""Each canvas node type, from an imported document to the end of its run on the local cloud (CANVAS §3).

The model is the scripted one: rules go by a mark that is in every variable of the test's own run.
"""

from __future__ import annotations

import json
import uuid

import pytest

from loopstep.cli import transfer
from loopstep.cli.remote import Refused, Remote
from tests.canvas_cloud import Json, chain, document, play, register, text
from tests.model_server import ModelServer

ASK = {"type": "userInput", "variables": [text("question", True)]}
DONE = {"type": "output"}


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex[:10]}"


def prompts(models: ModelServer, mark: str) -> list[list[Json]]:
    """The conversations that the model was shown."""
    return [each["messages"] for each in models.log(mark)]


def test_user_input(api: Remote) -> None:
    fields = [("count", "number"), ("urgent", "boolean"), ("tags", "array"), ("more", "object"), ("place", "filePath")]
    variables = [text("name", True), text("note"), *({"name": name, "type": kind} for name, kind in fields)]
    canvas = chain({"type": "userInput", "variables": variables}, DONE)
    given = {"name": "Ada", "count": " 12.5 ", "urgent": "Yes", "tags": "a", "more": '{"a": 1}', "place": "docs/a.md"}
    output = play(api, canvas, given).output
    assert output.pop("_runId") and output.pop("_workingDirFiles") == []
    converted = {"count": 12.5, "urgent": True, "tags": ["a"], "more": {"a": 1}}
    assert output == {**given, **converted}, "what was not brought is not there"
    outside = play(api, canvas, {"name": "Ada", "place": "../a"}).output
    assert outside["name"] == "Ada" and "place" not in outside, "what does not convert is as if it had not been brought"
    with pytest.raises(Refused, match=r"input\.invalid"):
        play(api, canvas, {"name": "Ada", "other": 1})
    with pytest.raises(Refused, match=r"input\.invalid"):
        play(api, canvas, {"note": "x"})


def test_output(api: Remote) -> None:
    fields = [{"name": "length", "type": "number", "mapping": {"nodeId": "userInput", "field": "list"}}]
    fields += [{"name": "list", "type": "string"}]
    canvas = chain({"type": "userInput", "variables": [{"name": "list", "type": "array"}]}, DONE | {"fields": fields})
    files = {"b.md": b"", "a/客户.md": b"1", "secret/x": b"", ".agentignore": b"secret/\n"}
    played = play(api, canvas, {"list": [1, 2]}, files)
    assert played.output == {
        "length": 2,
        "list": "[1,2]",
        "_workingDirFiles": ["a/客户.md", "b.md"],
        "_runId": played.run["runId"],
    }


def test_llm(api: Remote, models: ModelServer, mark: str) -> None:
    outputs = [text("city"), {"name": "people", "type": "number"}, {"name": "old", "type": "boolean"}, text("none")]
    ask = {
        "type": "llm",
        "systemPrompt": "You know cities.",
        "userPrompt": "{{question}} {{nobody}}",
        "outputs": outputs,
    }
    said = 'Here it is:\n```json\n{"city": "上海", "people": "24,870,000.0", "old": "True",}\n```\nAnything else?'
    models.script({"anywhere": mark, "reply": said.replace("24,870,000.0", "24870000")})
    played = play(api, chain(ASK, ask, DONE), {"question": f"上海? {mark}"})
    assert {name: played.output.get(name) for name in ("city", "people", "old", "none")} == {
        "city": "上海",
        "people": 24870000,
        "old": True,
        "none": None,
    }
    (messages,) = prompts(models, mark)
    system, user = (json.dumps(each["content"], ensure_ascii=False) for each in messages)
    assert "You know cities." in system and f"- question：上海? {mark}" in system
    assert f"上海? {mark}" in user and "{{nobody}}" in user
    assert played.usage("llm")["calls"] == 1 and played.usage("llm")["inputTokens"] > 0


def test_agent(api: Remote, models: ModelServer, mark: str) -> None:
    agent = f"writer_{mark[5:]}"
    register(
        api, "agent", agent, f"---\nname: Writer\ndescription: Writes.\ninputs: [question]\n---\nWrite files. {agent}\n"
    )
    calls = [{"name": "write_file", "arguments": {"path": "out/a.md", "text": "你好"}}, {"name": "list_files"}]
    hostile = [{"name": "write_file", "arguments": {"path": "../a.md", "text": ""}}, {"name": "delete_all"}]
    models.script(
        {"anywhere": agent, "toolCalls": [*calls, *hostile], "times": 1},
        {"anywhere": agent, "reply": "Two files."},
    )
    canvas = chain(ASK, {"type": "agent", "agentId": agent, "hermes": True, "outputs": [text("log")]}, DONE)
    played = play(api, canvas, {"question": mark})
    assert played.output["log"] == "Two files." and played.output["_workingDirFiles"] == ["out/a.md"]
    assert transfer.download(api, played.run["runId"], "out/a.md") == "你好".encode()
    made = [(each["tool"], each["outcome"]) for each in played.usage("agent")["toolCalls"]]
    assert made == [
        ("write_file", "done"),
        ("list_files", "done"),
        ("write_file", "refused"),
        ("delete_all", "refused"),
    ]


def test_skill(api: Remote, models: ModelServer, mark: str) -> None:
    skill = f"tone_{mark[5:]}"
    declared = "inputs:\n  - {name: question, type: string, required: true}\n  - {name: nobody, type: string}\n"
    register(
        api, "skill", skill, f"---\nname: Tone\ndescription: Says the tone.\n{declared}---\nSay the tone. {skill}\n"
    )
    models.script({"anywhere": skill, "reply": "calm"})
    played = play(api, chain(ASK, {"type": "skill", "skillId": skill}, DONE), {"question": mark})
    assert played.output["result"] == "calm"
    (messages,) = prompts(models, skill)
    system, user = (json.dumps(each["content"], ensure_ascii=False) for each in messages)
    assert "Say the tone." in system and "question" in user and mark in user and "nobody" not in user


def test_smart_action(api: Remote, models: ModelServer, mark: str) -> None:
    action = {
        "type": "smartAction",
        "actionPrompt": "Read the brief and answer {{question}}",
        "hermes": True,
        "tools": ["read_file"],
        "outputs": [text("answer")],
    }
    models.script(
        {"anywhere": mark, "match": "the brief says 42", "reply": "42"},
        {
            "anywhere": mark,
            "toolCalls": [{"name": "list_files"}, {"name": "read_file", "arguments": {"path": "brief.md"}}],
        },
    )
    played = play(api, chain(ASK, action, DONE), {"question": mark}, {"brief.md": b"the brief says 42"})
    assert played.output["answer"] == "42"
    made = [(each["tool"], each["outcome"]) for each in played.usage("smartAction")["toolCalls"]]
    assert made == [("list_files", "refused"), ("read_file", "done")], "only the tools that the node names"


def test_knowledge_retrieval(api: Remote, mark: str) -> None:
    source = f"book_{mark[5:]}"
    register(api, "source", source, {"name": "Handbook", "kind": "DOCUMENT"})
    document(api, source, "money.md", "# 退款\n退款在七天内完成。\n\n# Shipping\nWe ship on Mondays.\n")
    search = {"type": "knowledgeRetrieval", "query": "{{question}}", "source": "DOCUMENT", "topK": 1}
    played = play(api, chain(ASK, search | {"documentIds": [source]}, DONE), {"question": "什么时候退款?"})
    (evidence,) = played.output["evidences"]
    assert "七天" in evidence["content"] and evidence["sourceName"] == "Handbook"
    assert evidence.keys() >= {"id", "sourceType", "evidenceType", "title", "score", "sourceRef"}
    assert (played.output["evidenceCount"], played.output["sourceType"]) == (1, "DOCUMENT")
    assert f"datasource:{source}" in played.output["diagnostics"]


@pytest.mark.parametrize(
    ("said", "taken"), [(["0"], "first"), (["1"], "second"), (["none"] * 2, "other"), (["both", "1"], "second")]
)
def test_condition(api: Remote, models: ModelServer, mark: str, said: list[str], taken: str) -> None:
    judge = {"type": "condition", "conditions": [{"expression": "{{question}} is red"}, {"expression": "it is blue"}]}
    canvas = chain(ASK, judge)
    handles = {"first": "branch-0", "second": "branch-1", "other": "otherwise"}
    for name, handle in handles.items():
        data = {"userPrompt": f"{name} {{{{question}}}}", "outputs": [text("way")]}
        canvas["nodes"].append({"id": name, "type": "llm", "data": data})
        canvas["edges"].append({"id": name, "source": "condition", "target": name, "sourceHandle": handle})
    judged = [{"anywhere": mark, "reply": each, "times": 1} for each in said]
    models.script(*judged, {"anywhere": mark, "reply": taken})
    played = play(api, canvas, {"question": mark})
    assert played.output["way"] == taken
    assert played.nodes["condition"]["port"] == handles[taken].replace("-", "_")
    assert {"first", "second", "other"} & played.nodes.keys() == {taken}
    assert played.usage("condition")["calls"] == len(said)


def test_an_undecided_condition_without_otherwise_fails(api: Remote, models: ModelServer, mark: str) -> None:
    canvas = chain(ASK, {"type": "condition", "conditions": [{"expression": "{{question}}"}]})
    canvas["nodes"].append({"id": "done", "type": "output", "data": {}})
    canvas["edges"].append({"id": "b", "source": "condition", "target": "done", "sourceHandle": "branch-0"})
    models.script({"anywhere": mark, "reply": "I cannot say."})
    run = play(api, canvas, {"question": mark}).run
    assert (run["status"], run["error"]["code"], run["error"]["nodeId"]) == (
        "failed",
        "condition.undecided",
        "condition",
    )
