"""The REST face of the services (ARCHITECTURE §5)."""
