"""The language server: what `editor` knows, over the Language Server Protocol. Needs `pip install loopstep[lsp]`."""
