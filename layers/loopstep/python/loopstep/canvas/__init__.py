"""Canvas workflows: a second way to write a Plan, lowered to a document with explicit data flow (CANVAS)."""
