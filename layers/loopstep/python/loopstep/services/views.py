"""What of a document can be looked at before it is published."""

from __future__ import annotations

GRAPH, DATA, DEFINITION = "graph", "data", "definition"
VIEWS = (GRAPH, DATA, DEFINITION)
