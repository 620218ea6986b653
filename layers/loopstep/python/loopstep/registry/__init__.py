"""What plans refer to by id: skills, agents, sources and scopes, each a head and versions that never change."""
