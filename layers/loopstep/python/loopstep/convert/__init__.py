"""The one registry of conversions between field kinds and types (CANVAS §4)."""
