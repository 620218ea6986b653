"""Plans that somebody could send to hurt: by name the document, and the codes that it is refused with (none: taken)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

MIB = 1024 * 1024


class Case(NamedTuple):
    """`kind` is one of faces.FACES; `make` gives the bytes; `codes` what has to be said of them."""

    kind: str
    make: Callable[[], bytes]
    codes: frozenset[str] = frozenset()


def case(kind: str, make: Callable[[], bytes | str], *codes: str) -> Case:
    """A case; texts become UTF-8."""

    def encoded() -> bytes:
        made = make()
        return made.encode("utf-8", "surrogatepass") if isinstance(made, str) else made

    return Case(kind, encoded, frozenset(codes))


NO_PLAN = ("document.missing_field", "document.unknown_field")
HEAD = "apiVersion: loop.plan/v1\nkind: PlanVersion\n"
END: dict[str, Any] = {"id": "done", "type": "end", "end": {"outcome": "succeeded"}}


def edge(
    number: int, source: str, target: str, port: str = "completed", enters: str = "in", **more: Any
) -> dict[str, Any]:
    """An edge without bindings."""
    ends = {"source": {"nodeId": source, "port": port}, "target": {"nodeId": target, "port": enters}}
    return {"id": f"e{number}", **ends, "bindings": {}, **more}


def document(nodes: list[Any], edges: list[Any], **more: Any) -> str:
    """A plan as JSON, its entry the first node."""
    graph = {"entry": {"nodeId": nodes[0]["id"], "port": "in"}, "nodes": nodes, "edges": edges}
    plan = {"apiVersion": "loop.plan/v1", "kind": "PlanVersion", **more, "graph": graph}
    return json.dumps(plan, separators=(",", ":"))


def chain(count: int, edges: int = 5000) -> str:
    """`count` nodes that do nothing, one behind the other while there are edges, and an end."""
    nodes = [{"id": f"n{number}", "type": "pass", "pass": {}} for number in range(count)]
    onward = [f"n{number}" for number in range(1, count)] + ["done"]
    linked = [edge(number, f"n{number}", onward[number]) for number in range(min(count, edges))]
    return document([*nodes, END], linked)


def star(count: int) -> str:
    """One node with `count` conditional edges to one end."""
    edges = [edge(number, "first", "done", when=f"state.n == {number}") for number in range(count)]
    state = {"n": {"type": "integer", "required": True, "default": 1}}
    return document([{"id": "first", "type": "pass", "pass": {}}, END], edges, state=state)


def assigns(value: Any, type: str = "any", **node: Any) -> str:
    """A plan that keeps a literal."""
    keep = {"id": "keep", "type": "set_variable", "setVariable": {"assignments": [{"state": "kept", "value": value}]}}
    return document([{**keep, **node}, END], [edge(0, "keep", "done")], state={"kept": {"type": type}})


def expression(text: str) -> str:
    """A plan with the expression at its one assignment."""
    return assigns({"expr": text}, "number")


def says(text: str) -> str:
    """A plan that sends the text."""
    node = {"id": "say", "type": "send_message", "sendMessage": {"scope": {"value": "ops"}, "text": text}}
    return document([node, END], [edge(0, "say", "done")])


def nested(levels: int, opening: str = "[", closing: str = "]", core: str = "1") -> str:
    """Brackets inside one another."""
    return opening * levels + core + closing * levels


def aliases(levels: int = 12) -> str:
    """A billion laughs: each list names the one before ten times."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    return HEAD + "\n".join(lines) + "\n"


def schema(levels: int) -> dict[str, Any]:
    """A Schema of objects inside one another."""
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        inner = {"type": "object", "properties": {"a": inner}}
    return inner


def with_input(fields: Any) -> str:
    """A plan of one end that takes these fields."""
    return document([END], [], input=fields)


EVERYWHERE = "{% $states.input %}"


def everywhere() -> str:
    """`{% %}`, `$.x` and `${X}` as every text and key that a plan lets one choose."""
    literal = {EVERYWHERE: [EVERYWHERE, "$.x", "${AWS::StackName}"], "a.$": "$$.Execution.Id"}
    plan = json.loads(assigns({"value": literal}))
    plan["metadata"] = {"title": EVERYWHERE, "description": EVERYWHERE}
    plan["input"] = {"x": {"type": "string", "description": EVERYWHERE, "default": EVERYWHERE, "enum": [EVERYWHERE]}}
    plan["graph"]["nodes"][0]["title"] = EVERYWHERE
    return json.dumps(plan)


PLANS: dict[str, Case] = {
    # what is no plan at all
    "empty": case("plan", lambda: "", "document.syntax"),
    "random bytes": case("plan", lambda: bytes(range(256)) * 16, "document.syntax"),
    "UTF-16": case("plan", lambda: HEAD.encode("utf-16"), "document.syntax"),
    "bytes that are no UTF-8": case("plan", lambda: b"a: \xc0\xaf", "document.syntax"),
    "half of a surrogate pair in UTF-8": case("plan", lambda: HEAD + "metadata: {title: \ud800}", "document.syntax"),
    "half of a surrogate pair escaped": case("plan", lambda: '{"apiVersion": "\\ud800"}', "document.syntax"),
    "half of a surrogate pair in YAML": case("plan", lambda: 'a: "\\ud800"', "document.syntax"),
    "null bytes": case("plan", lambda: b"\x00" * MIB, "document.syntax"),
    "more than a mebibyte": case("plan", lambda: "a: " + "x" * MIB, "document.too_large"),
    "a mebibyte of brackets": case("plan", lambda: "[" * MIB, "limit.depth"),
    "a mebibyte of quotes": case("plan", lambda: "'" * MIB, "document.invalid_value"),
    "a mebibyte of dashes": case("plan", lambda: "- " * (MIB // 2), "limit.depth"),
    "a mebibyte of question marks": case("plan", lambda: "? " * (MIB // 2), "document.syntax"),
    "a mebibyte of line breaks": case("plan", lambda: "\n" * MIB, "document.syntax"),
    "a mebibyte of comments": case("plan", lambda: "#\n" * (MIB // 2), "document.syntax"),
    "a mebibyte of tabs": case("plan", lambda: "a:\n" + "\t" * (MIB - 9), "document.syntax"),
    "a mebibyte in one key": case("plan", lambda: "k" * (MIB - 9) + ": 1", "document.syntax"),
    "a mebibyte of one digit": case("plan", lambda: "a: " + "9" * (MIB - 9), *NO_PLAN),
    # YAML's own traps
    "a billion laughs": case("plan", aliases, "document.syntax"),
    "an alias of itself": case("plan", lambda: HEAD + "input: &x {a: *x}", "document.syntax"),
    "a merge key": case("plan", lambda: HEAD + "<<: {input: {}}", "document.syntax"),
    "a tag that would make an object": case(
        "plan", lambda: "a: !!python/object/apply:os.system [id]", "document.syntax"
    ),
    "a hundred thousand documents": case("plan", lambda: "---\na: 1\n" * 100_000, "document.syntax"),
    "a hundred thousand duplicate keys": case(
        "plan", lambda: HEAD + "a: 1\n" * 100_000, "document.duplicate_key", *NO_PLAN
    ),
    # depth
    "65 deep": case(
        "plan", lambda: assigns({"value": 1}).replace('"value":1}', '"value":' + nested(65) + "}"), "limit.depth"
    ),
    "65 deep in YAML": case("plan", lambda: HEAD + "x: " + nested(65, "{a: ", "}"), "limit.depth"),
    "a schema 60 deep": case("plan", lambda: with_input({"x": schema(60)}), "limit.depth"),
    "an expression of 64 parentheses": case(
        "plan",
        lambda: expression(nested(63, "(", ")")),
    ),
    "an expression of 65 parentheses": case("plan", lambda: expression(nested(65, "(", ")")), "limit.depth"),
    "an expression of 2,000 parentheses": case("plan", lambda: expression(nested(2000, "(", ")")), "limit.depth"),
    "an expression of 2,000 minus signs": case("plan", lambda: expression("-" * 2000 + "1"), "limit.depth"),
    "an expression of 2,000 additions": case("plan", lambda: expression("+".join(["1"] * 2000))),
    "an expression of 5,000 characters": case(
        "plan", lambda: expression("1 + " * 1249 + "1 + 1"), "document.too_large"
    ),
    # numbers
    "10,000 nodes": case("plan", lambda: chain(10_000), "limit.nodes"),
    "1,000 nodes": case("plan", lambda: chain(999)),
    "5,001 edges": case("plan", lambda: star(5001), "limit.nodes"),
    "2,000 conditions at one node": case("plan", lambda: star(2000)),
    "40,000 fields": case("plan", lambda: with_input({f"f{n}": {"type": "any"} for n in range(30_000)})),
    "100,000 members of an enum": case(
        "plan", lambda: with_input({"x": {"type": "integer", "enum": list(range(100_000))}})
    ),
    "a literal of 800 KB": case("plan", lambda: assigns({"value": "x" * 800_000}, "string"), "limit.state_size"),
    "100,000 interpolations": case(
        "plan", lambda: says("{{ plan.name }}" * 50_000), "limit.state_size", "limit.definition_size"
    ),
    "a template never closed 300,000 times": case("plan", lambda: says("{{ '" * 250_000), "template.syntax"),
    # texts that others would take for code
    "{% %} everywhere": case("plan", everywhere),
    "{% %} as names": case("plan", lambda: document([{**END, "id": EVERYWHERE}], []), "document.invalid_value"),
    "{% %} as an expression": case("plan", lambda: expression(EVERYWHERE), "expr.syntax"),
    "{% %} as a duration": case("plan", lambda: document([END], [], timeout=EVERYWHERE), "document.invalid_value"),
    "a text with every control character": case(
        "plan", lambda: assigns({"value": "".join(map(chr, range(32)))}, "string")
    ),
    # numbers that no double is
    "1e999": case(
        "plan",
        lambda: assigns({"value": 1}, "number").replace('"value":1}', '"value":1e999}'),
        "document.invalid_value",
    ),
    ".nan": case(
        "plan", lambda: HEAD + "input: {x: {type: number, default: .nan}}", "schema.invalid", "document.missing_field"
    ),
}
