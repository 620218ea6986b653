"""One activation of a node: the wrapper every node function is, and the behaviours it wraps (ARCHITECTURE §3)."""
