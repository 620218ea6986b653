"""Who calls: actors, roles, and what is registered of callers."""
