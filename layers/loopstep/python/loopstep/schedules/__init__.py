"""Schedules of plans: their expressions, when they fire, and their records (ARCHITECTURE §4, §5)."""
