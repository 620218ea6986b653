"""The VS Code extension: what it contributes, and that it starts the command that there is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from loopstep.cli.main import COMMANDS
from tests.house.modules import ROOT

FOLDER = ROOT / "editors" / "vscode"

# The editor's own modules, as far as the extension uses them; what was made of them is printed.
EDITOR = """\
const Module = require("module");
const made = [];
const settings = { get: (name, fallback) => ({ command: "${workspaceFolder}/bin/loopstep" })[name] ?? fallback };
const vscode = {
  workspace: { workspaceFolders: [{ uri: { fsPath: "/project" } }], getConfiguration: () => settings },
  window: { showErrorMessage: (text) => made.push({ shown: text }) },
};
class LanguageClient {
  constructor(id, name, server, options) { made.push({ id, server, options }); }
  async start() { if (process.argv[3] === "fails") throw new Error("ENOENT"); }
  async stop() { made.push("stopped"); }
}
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
const extension = require(process.argv[2]);
extension.activate().then(() => extension.deactivate()).then(() => console.log(JSON.stringify(made)));
"""


def test_the_manifest() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    assert (FOLDER / manifest["main"]).is_file()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in manifest["dependencies"].values())
    declared = set(manifest["contributes"]["configuration"]["properties"])
    used = set(
        re.findall(r'settings\.get\("(\w+)"|get\("(\w+)"', (FOLDER / "extension.js").read_text(encoding="utf-8"))
    )
    assert declared == {f"loopstep.{first or second}" for first, second in used}


def test_the_settings() -> None:
    settings = json.loads((FOLDER / "settings.json").read_text(encoding="utf-8"))
    assert settings["yaml.schemas"] == {"./plan.schema.json": ["*.plan.yaml", "*.plan.yml"]}
    assert settings["[yaml]"]["editor.insertSpaces"] is True


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("fails", [False, True])
def test_the_extension_starts_the_server(tmp_path: Path, fails: bool) -> None:
    script = tmp_path / "editor.js"
    script.write_text(EDITOR)
    command = ["node", str(script), str(FOLDER / "extension.js"), "fails" if fails else "works"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    made, *rest = json.loads(done.stdout)
    assert made["server"] == {"command": "/project/bin/loopstep", "args": ["lsp"]} and "lsp" in COMMANDS
    assert {one["language"] for one in made["options"]["documentSelector"]} == {"yaml", "json"}
    if fails:
        assert "pip install 'loopstep[lsp]'" in rest[0]["shown"]
    assert rest[-1] == "stopped"
