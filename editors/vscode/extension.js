// Starts `loopstep lsp` for YAML and JSON files. Which of them are plans the server decides.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function command(settings) {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return settings.get("command", "loopstep").replace("${workspaceFolder}", folder);
}

async function activate() {
  const settings = vscode.workspace.getConfiguration("loopstep");
  const server = { command: command(settings), args: ["lsp"] };
  const options = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "json" },
      { scheme: "untitled", language: "yaml" },
    ],
    initializationOptions: { docs: settings.get("docs", "") },
  };
  client = new LanguageClient("loopstep", "loopstep", server, options);
  try {
    await client.start();
  } catch (fault) {
    vscode.window.showErrorMessage(
      `loopstep: ${server.command} lsp does not start. Install it with: pip install 'loopstep[lsp]' (${fault})`,
    );
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
