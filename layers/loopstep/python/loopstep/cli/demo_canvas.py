"""`loopstep demo --canvas` (`make demo-canvas`): a canvas from the drawing to its answer, for a person to watch.

The model is the scripted server of the tests, a process of its own on loopback: the same answers each time, and no
account anywhere.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from loopstep.cli import files, outcome, table
from loopstep.cli.cloud import say
from loopstep.cli.local import cloud
from loopstep.cli.local import project as projects
from loopstep.cli.local.emulator import Mode
from loopstep.cli.publish import import_canvas, publish
from loopstep.cli.remote import Remote, opener
from loopstep.cli.report import report
from loopstep.cli.run import follow
from loopstep.cli.runs import fetch

EXAMPLE = Path("examples", "canvas", "support_triage.json")
HANDBOOK = Path("examples", "handbook")
MODEL = Path("tests", "model_server.py")
SOURCE = "handbook"
INPUT = {"question": "My invoice 4711 was charged twice. When do I get the money back?", "customer": "Ada"}
ANSWERS = (  # what the model says, in this order
    "0",
    "The second charge of invoice 4711 is returned without any question, within seven days (refunds.md).",
    "Dear Ada, the second charge of invoice 4711 comes back to you within seven days. Nothing is left for you to do.",
)


def run_demo() -> int:
    """Start a model and a local cloud, import the support triage, run it, show everything, stop; an exit code."""
    project = replace(projects.need(), instance="demo")
    canvas = project.root / EXAMPLE
    _title("1. The template that goes to AWS, deployed to an emulator on this machine, and a scripted model")
    with _model(project.root) as model, cloud.session(project, say, Mode(model=model)) as state:
        api = Remote(state["url"], state["apiKey"])
        _title("2. A knowledge source, put through the REST API")
        _put_handbook(api, project.root / HANDBOOK)
        _title(f"3. {EXAMPLE} imported: the plan that it lowers to")
        imported = import_canvas(api, files.read_document(str(canvas)))
        click.echo(imported["text"].rstrip())
        _title("4. Published and run")
        name = publish(api, str(canvas))["name"]
        click.echo(f"POST /plans/{name}/runs  {json.dumps({'input': INPUT})}")
        run = follow(api, api.call("POST", f"/plans/{name}/runs", {"input": INPUT})["runId"])
        whole = fetch(api, run["runId"])
        done = {each["nodeId"]: each for each in whole["activations"]}
        _title("5. The retrieval's evidence")
        _show_evidence(done["search"])
        _title("6. The branch taken, and why")
        _show_branch(imported["plan"], done["kind"])
        _title("7. What is recorded of it all")
        click.echo(report(whole))
    _title("8. Emulator and model are stopped")
    return outcome.OK if run["status"] == "succeeded" else outcome.NO


def _put_handbook(api: Remote, folder: Path) -> None:
    api.call("PUT", f"/sources/{SOURCE}", {"name": "Handbook of the desk", "kind": "DOCUMENT"})
    for file in sorted(folder.glob("*.md")):
        path = f"/sources/{SOURCE}/documents/{file.name}"
        api.call("PUT", path, raw=file.read_bytes(), headers={"content-type": "text/markdown"})
        click.echo(f"PUT {path}  {file.stat().st_size} bytes")


def _show_evidence(search: dict[str, Any]) -> None:
    click.echo(f"query {table.short(search['input']['question'])}, {search['output']['evidenceCount']} found:")
    rows = [[each["sourceRef"], each["title"], _excerpt(each["content"])] for each in search["output"]["evidences"]]
    click.echo("\n".join(table.lines(rows, "  ")))


def _excerpt(content: str) -> str:
    """Its beginning on one line, without the headings that are its title."""
    return table.cut(" ".join(line for line in content.splitlines() if line and not line.startswith("#")), 90)


def _show_branch(plan: dict[str, Any], kind: dict[str, Any]) -> None:
    node = next(each for each in plan["graph"]["nodes"] if each["id"] == kind["nodeId"])
    click.echo(f"the model was asked which of these holds, and left by {kind['port']}:")
    for number, each in enumerate(node["condition"]["conditions"]):
        taken = "→" if kind["port"] == f"branch_{number}" else " "
        click.echo(f"  {taken} {number}  {each['expression']}")
    usage = kind["tries"][-1]["usage"]
    click.echo(f"{usage['calls']} call, {usage['inputTokens']} tokens in, {usage['outputTokens']} out")


@contextlib.contextmanager
def _model(root: Path) -> Iterator[str]:
    """The address of a scripted model that runs as long as the block."""
    command = [sys.executable, str(root / MODEL)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().rpartition(" ")[2].strip()
            if not url:
                raise outcome.Failure(f"{MODEL} did not start", outcome.OUT_OF_REACH)
            _script(url)
            yield url
        finally:
            process.kill()


def _script(url: str) -> None:
    rules = [{"reply": answer, "times": 1} for answer in ANSWERS]
    body = json.dumps({"rules": rules}).encode()
    with opener(url).open(urllib.request.Request(f"{url}/script", body, method="POST"), timeout=10):
        pass


def _title(text: str) -> None:
    click.echo(f"\n{click.style(text, bold=True)}")
