"""Working directories on the local cloud: uploads and downloads by presigned requests, list_files, and no way out."""

from __future__ import annotations

import http.client
import json
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from loopstep.cli import transfer
from loopstep.cli.local import cloud
from loopstep.cli.remote import Refused, Remote
from tests.ending import ended

PLAN = """
apiVersion: loop.plan/v1
kind: PlanVersion
output:
  files: {type: array, items: {type: string}, required: true}
graph:
  entry: {nodeId: look, port: in}
  nodes:
    - {id: look, type: list_files, listFiles: {}}
    - {id: done, type: end, end: {outcome: succeeded}}
  edges:
    - {id: listed, source: {nodeId: look, port: completed}, target: {nodeId: done, port: in}, bindings: {files: {ref: output.files}}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def plan(api: Remote) -> str:
    name = f"files_{uuid.uuid4().hex[:8]}"
    api.call("PUT", f"/plans/{name}", raw=PLAN.encode())
    return name


def held(api: Remote, plan: str) -> str:
    return str(api.call("POST", f"/plans/{plan}/runs", {"hold": True})["runId"])


def started_and_ended(api: Remote, run: str) -> Any:
    api.call("POST", f"/runs/{run}/start")
    return ended(api, run)


def test_a_folder_goes_into_the_run(loopstep: Any, plan: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for path, text in {
        "a.txt": "1",
        "docs/报告 1.md": "你好",
        "secret/key": "x",
        "secret/readme.md": "no",
        ".agentignore": "secret/\n*.tmp\n!secret/readme.md\n",
        "b.tmp": "",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "link").symlink_to(tmp_path)
    (folder / "other").symlink_to("/etc/hostname")
    done = loopstep("run", plan, "--files", str(folder), "--watch", "--json")
    assert done.code == 0, done.stderr
    run = done.data
    assert run["output"] == {"files": ["a.txt", "docs/报告 1.md"]}
    listed = loopstep("files", "list", run["runId"], "--json").data["items"]
    assert [each["path"] for each in listed] == [
        *(".agentignore", "a.txt", "b.tmp", "docs/报告 1.md", "secret/key", "secret/readme.md")
    ]
    assert loopstep("files", "get", run["runId"], "docs/报告 1.md").stdout == "你好"
    loopstep("files", "get", run["runId"], "secret/key", "-o", str(tmp_path / "key"))
    assert (tmp_path / "key").read_bytes() == b"x"


def test_bytes_come_back_as_they_went(api: Remote, plan: str) -> None:
    run = held(api, plan)
    for name, body in {"empty": b"", "bytes": bytes(range(256)) * 4096, "客户/报告 100%.md": b"1"}.items():
        assert transfer.upload(api, run, name, body) == name
        assert transfer.download(api, run, name) == body
    transfer.upload(api, run, "bytes", b"other")
    assert transfer.download(api, run, "bytes") == b"other"
    assert transfer.remove(api, run, "bytes") == "bytes"
    with pytest.raises(Refused, match=r"file\.unknown"):
        transfer.download(api, run, "bytes")


def test_nothing_is_written_after_the_end(api: Remote, plan: str, loopstep: Any, tmp_path: Path) -> None:
    run = held(api, plan)
    transfer.upload(api, run, "a", b"1")
    assert started_and_ended(api, run)["output"] == {"files": ["a"]}
    for act in (lambda: transfer.upload(api, run, "a", b"2"), lambda: transfer.remove(api, run, "a")):
        with pytest.raises(Refused, match=r"run\.ended"):
            act()
    (tmp_path / "b").write_text("")
    assert loopstep("files", "put", run, str(tmp_path / "b")).code == 6
    assert transfer.download(api, run, "a") == b"1"


def test_two_runs_never_see_each_others_files(api: Remote, plan: str) -> None:
    runs = [held(api, plan) for _ in range(2)]
    for run in runs:
        transfer.upload(api, run, f"of/{run}", run.encode())
    for run, other in (runs, reversed(runs)):
        with pytest.raises(Refused, match=r"file\.unknown"):
            transfer.download(api, run, f"of/{other}")
        assert started_and_ended(api, run)["output"] == {"files": [f"of/{run}"]}


HOSTILE = ["../{other}/a", "x/../../{other}/a", "..%2f{other}%2fa", "%2e%2e/{other}/a", "%252e%252e%252f{other}%252fa",
           "..%5c{other}%5ca", "%2fetc%2fpasswd", "a%00b", "%ef%bc%8e%ef%bc%8e%ef%bc%8f{other}/a", "a//b", "a%0ab",
           "%c0%ae%c0%ae/{other}/a", "....//{other}/a", "a" * 901, "%e2%80%a6/../{other}/a"]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
def test_no_path_leads_out(api: Remote, state: cloud.State, plan: str, path: str) -> None:
    """Sent as they are, past every client that would tidy them up."""
    run, other = held(api, plan), held(api, plan)
    transfer.upload(api, other, "a", b"another run's")
    for method, body in (("GET", None), ("PUT", json.dumps({"bytes": 1})), ("DELETE", None)):
        status, answer = sent(state, method, f"/runs/{run}/files/{path.format(other=other)}", body)
        assert status in (400, 404, 405) and other not in json.dumps(answer.get("url", "")), (method, answer)
    assert api.call("GET", f"/runs/{run}/files")["items"] == []
    assert transfer.download(api, other, "a") == b"another run's"


def sent(state: cloud.State, method: str, path: str, body: str | None) -> tuple[int, Any]:
    base = urlsplit(state["url"])
    link = http.client.HTTPConnection(str(base.hostname), base.port, timeout=30)
    link.putrequest(method, base.path + path, skip_accept_encoding=True)
    for name, value in {"x-api-key": state["apiKey"], "content-length": str(len(body or ""))}.items():
        link.putheader(name, value)
    link.endheaders((body or "").encode())
    reply = link.getresponse()
    text = reply.read()
    link.close()
    return reply.status, json.loads(text) if text.startswith(b"{") else {}


def test_names_are_sent_encoded(api: Remote, state: cloud.State, plan: str) -> None:
    run = held(api, plan)
    for name in ("a b", "客户/报告.md", "100%", "a+b&c=d;e@f", "~x", "'(1)'"):
        status, answer = sent(state, "PUT", f"/runs/{run}/files/{quote(name)}", '{"bytes": 1}')
        assert (status, answer["path"]) == (200, name)
