"""Typed expressions and templates: parse, check, evaluate, and JSONata for Choice states (LANGUAGE §5, §6)."""
