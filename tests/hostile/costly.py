"""Plans within every limit whose check could cost more than their length: many against many, deep against wide."""

from __future__ import annotations

from typing import Any

from tests.hostile.plans import END, HEAD, NO_PLAN, Case, case, document, edge, schema, with_input

PASS = {"id": "first", "type": "pass", "pass": {}}


def fields(count: int, type: str = "integer") -> dict[str, Any]:
    """Fields whose names are much alike."""
    return {f"field_with_a_name_{number:05d}": {"type": type} for number in range(count)}


def misspelt(count: int) -> list[str]:
    """Names near to those of `fields`, none of them one."""
    return [f"field_wiht_a_name_{number:05d}" for number in range(count)]


def unknown_references(count: int, declared: int) -> str:
    """Each of many references is near to each of many fields."""
    refs = [{"state": "kept", "value": {"ref": f"plan.input.{name}"}} for name in misspelt(count)]
    keep = {"id": "keep", "type": "set_variable", "setVariable": {"assignments": refs}}
    return document([keep, END], [edge(0, "keep", "done")], state={"kept": {"type": "any"}}, input=fields(declared))


def unknown_bindings(count: int, declared: int) -> str:
    bindings = {name: {"value": 1} for name in misspelt(count)}
    return document([PASS, END], [edge(0, "first", "done", bindings=bindings)], output=fields(declared))


def unknown_nodes(count: int, nodes: int) -> str:
    known = [{"id": f"node_with_a_name_{number:05d}", "type": "pass", "pass": {}} for number in range(nodes)]
    edges = [edge(number, f"node_wiht_a_name_{number:05d}", "done") for number in range(count)]
    return document([*known, END], edges)


def enums(count: int) -> str:
    """An enum of many members into another of as many, the same from behind."""
    given = {"type": "integer", "enum": list(range(count))}
    wanted = {"type": "integer", "enum": list(range(count))[::-1]}
    keep = {"id": "keep", "type": "set_variable"}
    assignments = [{"state": "kept", "value": {"ref": "plan.input.x"}}]
    nodes = [{**keep, "setVariable": {"assignments": assignments}}, END]
    return document(nodes, [edge(0, "keep", "done")], state={"kept": wanted}, input={"x": given})


def default_of_enum(count: int) -> str:
    members = [f"member {number}" for number in range(count)]
    item = {"type": "string", "enum": members}
    return with_input({"x": {"type": "array", "items": item, "default": members[::-1]}})


def long_enum(count: int) -> str:
    """Every member is shown where nothing fits."""
    members = [f"member {number}" for number in range(count)]
    plan = {f"f{number}": {"type": "string", "enum": members} for number in range(3)}
    wrong = [{"state": f"f{number % 3}", "value": {"value": f"no member {number}"}} for number in range(2000)]
    keep = {"id": "keep", "type": "set_variable", "setVariable": {"assignments": wrong}}
    return document([keep, END], [edge(0, "keep", "done")], state=plan)


def wide_schemas(count: int) -> str:
    """The same large object through many edges."""
    large = {"type": "object", "properties": {f"p{number}": schema(10) for number in range(150)}}
    nodes = [{"id": f"n{number}", "type": "pass", "pass": {}, "input": {"x": large}} for number in range(6)]
    edges = [
        edge(number, f"n{number % 5}", f"n{number % 5 + 1}", when="true", bindings={"x": {"ref": "input.x"}})
        for number in range(count)
    ]
    return document([*nodes, END], [*edges, edge(count, "n5", "done")])


def dense(nodes: int) -> str:
    """An edge from each node to each behind it, all of them conditional, and a default."""
    edges: list[Any] = []
    for left in range(nodes):
        for right in range(left + 2, nodes):
            edges.append(edge(len(edges), f"n{left}", f"n{right}", when=f"state.n == {right}"))
        edges.append(edge(len(edges), f"n{left}", f"n{left + 1}" if left + 1 < nodes else "done"))
    state = {"n": {"type": "integer", "required": True, "default": 1}}
    return document(
        [*({"id": f"n{number}", "type": "pass", "pass": {}} for number in range(nodes)), END], edges, state=state
    )


def diamonds(count: int) -> str:
    """Two ways at each step: 2 to the power of `count` paths, each with a state of its own."""
    nodes: list[Any] = []
    edges: list[Any] = []
    for number in range(count):
        onward = f"a{number + 1}" if number + 1 < count else "done"
        setting = {"assignments": [{"state": f"s{number}", "value": {"value": number}}]}
        nodes.append({"id": f"a{number}", "type": "pass", "pass": {}})
        nodes.append({"id": f"b{number}", "type": "set_variable", "setVariable": setting})
        edges += [
            edge(len(edges), f"a{number}", f"b{number}", when="state.n > 3"),
            edge(len(edges) + 1, f"a{number}", onward),
            edge(len(edges) + 2, f"b{number}", onward),
        ]
    state = {f"s{number}": {"type": "integer"} for number in range(count)}
    state["n"] = {"type": "integer", "required": True, "default": 1}
    return document([*nodes, END], edges, state=state)


def branches(count: int, shared: bool) -> str:
    """A fan_out of many branches, all of which write the same field, or each its own."""
    names = [f"b{number}" for number in range(count)]
    nodes: list[Any] = [{"id": "split", "type": "fan_out", "fanOut": {"branches": names}}]
    edges: list[Any] = []
    for number, name in enumerate(names):
        field = "s0" if shared else f"s{number}"
        setting = {"assignments": [{"state": field, "value": {"value": number}}]}
        nodes.append({"id": f"n{number}", "type": "set_variable", "setVariable": setting})
        edges.append(edge(len(edges), "split", f"n{number}", port=name))
        edges.append(edge(len(edges), f"n{number}", "both"))
    nodes.append({"id": "both", "type": "join", "join": {"fanOut": "split"}})
    edges.append(edge(len(edges), "both", "done"))
    state = {f"s{number}": {"type": "integer"} for number in range(count)}
    return document([*nodes, END], edges, state=state)


def loops(levels: int) -> str:
    """Loops inside one another, each at most 1,000 times round."""
    nodes: list[Any] = []
    edges: list[Any] = []
    for level in range(levels):
        nodes.append({"id": f"l{level}", "type": "loop", "loop": {"maxIterations": 1000}})
        inner = f"l{level + 1}" if level + 1 < levels else "core"
        edges.append(edge(len(edges), f"l{level}", inner, port="body"))
        edges.append(edge(len(edges), inner, f"l{level}", enters="next"))
    edges.append(edge(len(edges), "l0", "done"))
    return document([*nodes, {"id": "core", "type": "pass", "pass": {}}, END], edges)


def ring(count: int) -> str:
    """Nodes in a circle, which no loop node makes."""
    nodes = [{"id": f"n{number}", "type": "pass", "pass": {}} for number in range(count)]
    return document([*nodes, END], [edge(number, f"n{number}", f"n{(number + 1) % count}") for number in range(count)])


def unknown_keys(count: int) -> str:
    return HEAD + "".join(f"metadatum{number}: 1\n" for number in range(count))


def long_key(length: int, count: int) -> str:
    """Every fault has the key in its path."""
    wrong = {f"w{number}": 1 for number in range(count)}
    return with_input({"k" * length: {"type": "object", "properties": {"x": {"type": "string", **wrong}}}})


def doubled(length: int, count: int) -> str:
    """Duplicates deep inside, where the path to each is long."""
    core = "{" + ",".join(['"a":1'] * count) + "}"
    for _ in range(60):
        core = '{"' + "k" * length + '":' + core + "}"
    return core


def expressions(count: int) -> str:
    """Expressions of almost the greatest length, each with faults in it."""
    text = " && ".join(["plan.input.nothing_of_that_name == 1"] * 100)
    assignments = [{"state": "kept", "value": {"expr": text}} for _ in range(count)]
    keep = {"id": "keep", "type": "set_variable", "setVariable": {"assignments": assignments}}
    fitting = fields(500)
    return document([keep, END], [edge(0, "keep", "done")], state={"kept": {"type": "any"}}, input=fitting)


UNKNOWN_FIELDS = ("reference.unknown_field", "state.duplicate_assignment")

COSTLY: dict[str, Case] = {
    "3,000 references near to 10,000 fields": case("plan", lambda: unknown_references(3000, 10_000), *UNKNOWN_FIELDS),
    "10,000 bindings near to 10,000 fields": case(
        "plan", lambda: unknown_bindings(8000, 8000), "binding.unknown_target"
    ),
    "4,000 edges from no node": case("plan", lambda: unknown_nodes(4000, 990), "graph.unknown_node"),
    "an enum of 30,000 into another": case("plan", lambda: enums(30_000), "limit.state_size"),
    "a default of 20,000 members of an enum": case("plan", lambda: default_of_enum(20_000)),
    "2,000 literals in no enum of 10,000": case(
        "plan", lambda: long_enum(10_000), "binding.type_mismatch", "state.duplicate_assignment"
    ),
    "1,500 edges with a large object": case("plan", lambda: wide_schemas(1500)),
    "95 nodes, all joined": case("plan", lambda: dense(95)),
    "300 diamonds": case("plan", lambda: diamonds(300)),
    "400 branches that write one field": case("plan", lambda: branches(400, True), "state.parallel_conflict"),
    "400 branches that write their own": case("plan", lambda: branches(400, False)),
    "64 loops inside one another": case("plan", lambda: loops(64), "limit.history"),
    "65 loops inside one another": case("plan", lambda: loops(65), "limit.depth", "limit.history"),
    "a ring of 990 nodes": case("plan", lambda: ring(990), "graph.cycle_without_loop"),
    "a key of half a mebibyte before 30,000 faults": case(
        "plan", lambda: long_key(500_000, 30_000), "document.invalid_value"
    ),
    "names of 900 characters 60 deep before 60,000 names twice": case(
        "plan", lambda: doubled(900, 60_000), "document.duplicate_key", *NO_PLAN
    ),
    "50,000 unknown keys": case("plan", lambda: unknown_keys(50_000), "document.unknown_field"),
    "200 long expressions with faults": case("plan", lambda: expressions(200), *UNKNOWN_FIELDS),
}
