"""Runs as records: keys, items, large values and the DynamoDB store (ARCHITECTURE §3, §4)."""
