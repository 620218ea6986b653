"""The tools that a model may call inside an agent, a skill or a smart action (CANVAS §3.3)."""
