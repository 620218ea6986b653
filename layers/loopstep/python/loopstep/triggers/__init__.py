"""Triggers of plans: which events of the bus start a run, and with which input (ARCHITECTURE §4, §5)."""
