"""What changed between two plans: nodes, edges, state and contracts, and what of it breaks callers."""
