"""The local cloud: an emulator on loopback, the template that goes to AWS deployed on it (ARCHITECTURE §7)."""
