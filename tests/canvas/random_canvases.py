"""Canvases at random: up to twelve nodes, conditions, merges, loose ends, and names that now and then meet."""

from __future__ import annotations

from random import Random
from typing import Any

TYPES = ("string", "number", "boolean", "array", "object")


def canvas_of(seed: int, most: int = 12) -> dict[str, Any]:
    """A canvas without cycles; edges lead onward in the list of nodes."""
    rng = Random(seed)
    count = rng.randint(2, most)
    kinds = ["userInput" if rng.random() < 0.9 else "llm"]
    weights = {"llm": 6, "condition": 3, "knowledgeRetrieval": 1, "output": 1}
    kinds += rng.choices(list(weights), list(weights.values()), k=count - 1)
    shared = rng.random() < 0.4
    nodes = [{"id": f"n{i}", "type": kind, "data": _data(kind, i, count, shared, rng)} for i, kind in enumerate(kinds)]
    edges = []
    density = rng.choice((0.15, 0.3, 0.5))
    for target in range(1, count):
        sources = [i for i in range(target) if rng.random() < density] or (
            [rng.randrange(target)] if rng.random() < 0.9 else []
        )
        for source in sources:
            if kinds[source] == "condition":
                handles = [f"branch-{b}" for b in range(len(nodes[source]["data"]["conditions"]))]
                for handle in rng.sample(handles, rng.choice((1, 1, 1, 2))):
                    edges.append({"source": f"n{source}", "target": f"n{target}", "sourceHandle": handle})
            elif kinds[source] != "output":
                edges.append({"source": f"n{source}", "target": f"n{target}", "sourceHandle": None})
    rng.shuffle(edges)
    edges = [{"id": f"e{i}", **edge} for i, edge in enumerate(edges)]
    return {"id": "random", "name": "random", "nodes": nodes, "edges": edges}


def _data(kind: str, i: int, count: int, shared: bool, rng: Random) -> dict[str, Any]:
    names = [f"v{rng.randrange(count)}" for _ in range(3)] + ["q"]
    text = " ".join(f"{{{{{name}}}}}" for name in rng.sample(names, 2))
    if kind == "userInput":
        return {"variables": [{"name": "q", "type": "string", "required": True}, {"name": "k", "type": "number"}]}
    if kind == "output":
        return {"fields": []}
    if kind == "condition":
        return {"conditions": [{"expression": f"{b} {text}"} for b in range(rng.choice((2, 2, 3)))]}
    if kind == "knowledgeRetrieval":
        return {"query": text, "source": "DOCUMENT"}
    own = f"v{rng.randrange(count) if shared and rng.random() < 0.3 else i}"
    outputs = [{"name": own, "type": "string"}]
    if rng.random() < 0.2:
        outputs.append({"name": f"w{i}", "type": rng.choice(TYPES)})
    data: dict[str, Any] = {"systemPrompt": "You help.", "userPrompt": text, "outputs": outputs}
    if rng.random() < 0.4:
        data["inputs"] = [
            _input(name, i, rng) for name in dict.fromkeys(rng.choices([*names, "evidences", "own"], k=2))
        ]
    return data


def _input(name: str, i: int, rng: Random) -> dict[str, Any]:
    wanted: dict[str, Any] = {"name": name, "type": rng.choice(("string", "string", *TYPES))}
    if rng.random() < 0.1:
        wanted["required"] = True
    if rng.random() < 0.4:
        before = rng.randrange(max(i, 1))
        wanted["mapping"] = {"nodeId": f"n{before}", "field": rng.choice((f"v{before}", "q", "k", "evidences"))}
    elif name == "evidences" and wanted["type"] == "string":
        wanted["mode"] = rng.choice(("concat", "json"))
    return wanted
