"""What an editor asks about a plan, of a broken one too: completion, names, hover, fixes. Pure; `lsp` serves it."""
