"""Diagnostics: the record, the registry of codes, their collection and the forms they are shown in (LANGUAGE §10)."""
