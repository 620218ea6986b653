"""Pictures of plans: a layered layout of our own, as SVG or as Mermaid text. Pure functions, no third party.

What is drawn comes as JSON data (`services.describe_graph`), so a picture needs no compiler.
"""
