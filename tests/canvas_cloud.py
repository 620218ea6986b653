"""Canvas documents on the local cloud: what is registered for them, and one way from the drawing to the run's end."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from loopstep.cli import transfer
from loopstep.cli.remote import Remote, quoted
from tests import ending

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """A run that has ended, and what its nodes did, by node (the last time where one was passed more often)."""

    run: Json
    nodes: dict[str, Json]

    @property
    def output(self) -> Json:
        assert self.run["status"] == "succeeded", self.run["error"]
        output: Json = self.run["output"]
        return output

    def usage(self, node: str) -> Json:
        """What the node's last attempt used."""
        usage: Json = self.nodes[node]["tries"][-1]["usage"]
        return usage


def play(api: Remote, canvas: Json, given: Json, files: dict[str, bytes] | None = None) -> Played:
    """Import, publish and run a canvas document to its end; with files that are there from the start."""
    imported = api.call("POST", "/canvas/import", raw=json.dumps(canvas, ensure_ascii=False).encode())
    assert imported["plan"] is not None, imported["diagnostics"]
    name = f"canvas_{uuid.uuid4().hex[:12]}"
    api.call("PUT", f"/plans/{name}", raw=imported["text"].encode())
    run = api.call("POST", f"/plans/{name}/runs", {"input": given, "hold": bool(files)})["runId"]
    for path, body in (files or {}).items():
        transfer.upload(api, run, path, body)
    if files:
        api.call("POST", f"/runs/{run}/start")
    return ended(api, run)


def ended(api: Remote, run: str) -> Played:
    """The run when it is over."""
    found = ending.ended(api, run)
    return Played(found, {each["nodeId"]: each for each in api.items(f"/runs/{run}/activations")})


def register(api: Remote, kind: str, id: str, content: Json | str) -> None:
    """Put a skill, agent or source: JSON data, or a SKILL.md."""
    raw = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    media = "text/markdown" if isinstance(content, str) else "application/json"
    api.call("PUT", f"/{kind}s/{id}", raw=raw.encode(), headers={"content-type": media})


def document(api: Remote, source: str, id: str, text: str) -> None:
    """Put a document into a source, whose form its ending says."""
    media = {"md": "text/markdown", "csv": "text/csv"}[id.rpartition(".")[2]]
    api.call("PUT", f"/sources/{source}/documents/{quoted(id)}", raw=text.encode(), headers={"content-type": media})


def chain(*nodes: Json) -> Json:
    """A canvas whose nodes follow one another; each is `{type, …}` with its data flat, and has the id of its type."""
    drawn, edges = [], []
    for node in nodes:
        data = {name: value for name, value in node.items() if name != "type"}
        drawn.append({"id": node["type"], "type": node["type"], "position": {"x": 0, "y": 0}, "data": data})
    for number, (left, right) in enumerate(pairwise(drawn)):
        edges.append({"id": f"e{number}", "source": left["id"], "target": right["id"], "sourceHandle": None})
    return {"id": "drawn", "name": "Drawn", "nodes": drawn, "edges": edges}


def text(name: str, required: bool = False) -> Json:
    """A field of type string."""
    return {"name": name, "type": "string", "required": required}
