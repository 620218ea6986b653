"""What each node type does, one file a type (LANGUAGE §7)."""
