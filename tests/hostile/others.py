"""Canvases, skills, documents, bodies and answers of models that somebody could send to hurt."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from tests.hostile.plans import EVERYWHERE, MIB, Case, aliases, case, nested


def canvas(nodes: list[Any], edges: list[Any]) -> str:
    return json.dumps({"id": "c", "name": "c", "nodes": nodes, "edges": edges}, separators=(",", ":"))


def start(*names: str, id: str = "s") -> dict[str, Any]:
    return {"id": id, "type": "userInput", "data": {"variables": [{"name": name, "type": "string"} for name in names]}}


def model(id: str, prompt: str = "x", *outputs: str) -> dict[str, Any]:
    wanted = [{"name": name, "type": "string"} for name in outputs]
    return {"id": id, "type": "llm", "data": {"userPrompt": prompt, "outputs": wanted}}


def link(number: int, source: str, target: str) -> dict[str, Any]:
    return {"id": f"e{number}", "source": source, "target": target}


def line(count: int) -> str:
    """A model behind a model behind a model, each with what the one before gave."""
    nodes = [start("v0"), *(model(f"n{each}", f"{{{{v{each - 1}}}}}", f"v{each}") for each in range(1, count))]
    ids = [node["id"] for node in nodes]
    return canvas(nodes, [link(each, *pair) for each, pair in enumerate(pairwise(ids))])


def ladder(steps: int) -> str:
    """Two ways at each step: 2 to the power of `steps` paths."""
    nodes, edges = [start("q", id="m0")], list[Any]()
    for step in range(steps):
        nodes += [model(f"a{step}"), model(f"b{step}"), model(f"m{step + 1}", "{{q}}")]
        for source, target in (("m", "a"), ("m", "b")):
            edges.append(link(len(edges), f"{source}{step}", f"{target}{step}"))
        edges += [link(len(edges), f"a{step}", f"m{step + 1}"), link(len(edges) + 1, f"b{step}", f"m{step + 1}")]
    return canvas(nodes, edges)


def all_joined(count: int) -> str:
    nodes = [start("q", id="n0"), *(model(f"n{each}", "{{q}}") for each in range(1, count))]
    pairs = [(left, right) for left in range(count) for right in range(left + 1, count)]
    return canvas(nodes, [link(each, f"n{left}", f"n{right}") for each, (left, right) in enumerate(pairs)])


CANVASES: dict[str, Case] = {
    "nothing": case("canvas", lambda: "", "document.syntax"),
    "a list": case("canvas", lambda: "[]", "document.invalid_value"),
    "aliases": case("canvas", aliases, "document.syntax"),
    "65 deep": case("canvas", lambda: '{"nodes": ' + nested(65) + "}", "limit.depth"),
    "half of a surrogate pair": case("canvas", lambda: '{"nodes": [{"id": "\\udc00"}]}', "document.syntax"),
    "10,000 nodes": case("canvas", lambda: canvas([start("q"), *({"id": f"n{n}", "type": "llm"} for n in range(10_000))], []), "limit.nodes"),
    "5,000 edges to nowhere": case("canvas", lambda: canvas([start("q")], [link(n, "s", f"x{n}") for n in range(5000)]), "canvas.unknown_node"),
    "10,000 edges twice": case("canvas", lambda: canvas([start("q"), model("n")], [link(n, "s", "n") for n in range(10_000)]), "limit.nodes"),
    "5,000 edges twice": case("canvas", lambda: canvas([start("q"), model("n")], [link(n, "s", "n") for n in range(5000)])),
    "1,000 models": case("canvas", lambda: canvas([start("q"), *(model(f"n{n}") for n in range(999))], [link(n, "s", f"n{n}") for n in range(999)]), "limit.nodes", "state.parallel_conflict"),
    "ids of 300 KB that are alike": case("canvas", lambda: canvas([start("q", id="x" * 300_000)], [link(1, "y" + "x" * 299_999, "s")]), "canvas.unknown_node"),
    "300 models in a row": case("canvas", lambda: line(300), "document.too_large"),
    "100 diamonds in a row": case("canvas", lambda: ladder(100), "state.parallel_conflict"),
    "70 nodes, all joined": case("canvas", lambda: all_joined(70)),
    "a ring": case("canvas", lambda: canvas([model("a"), model("b")], [link(1, "a", "b"), link(2, "b", "a")]), "canvas.cycle"),
    "{% %} everywhere": case("canvas", lambda: canvas([start(EVERYWHERE), model("n", EVERYWHERE + "{{" + EVERYWHERE + "}}", EVERYWHERE)], [link(1, "s", "n")]), "canvas.invalid_name"),
    "40,000 unknown variables in a prompt": case("canvas", lambda: canvas([start("q"), model("n", "{{nothing_of_the_kind}}" * 40_000)], [link(1, "s", "n")])),
    "options of a canvas of 70": case("mappings", lambda: all_joined(70).replace('"n69"', '"n"')),
    "options of nobody": case("mappings", lambda: canvas([start("q")], []), "canvas.node_unknown"),
    "options in nothing": case("mappings", lambda: "[" * 70, "canvas.invalid"),
}  # fmt: skip

FRONT = "---\nname: s\ndescription: d\n"

SKILLS: dict[str, Case] = {
    "never closed": case("skill", lambda: FRONT, "document.syntax"),
    "a mebibyte of dashes": case("skill", lambda: "---\n" + "-" * MIB, "document.syntax"),
    "a mebibyte of fences": case("skill", lambda: "---\n" * (MIB // 4), "document.syntax"),
    "a mebibyte of blank lines": case("skill", lambda: FRONT + "---" + "\n" * MIB, "document.missing_field"),
    "a mebibyte of carriage returns": case("skill", lambda: FRONT + "---\n" + "a\r" * (MIB // 2 - 40)),
    "aliases": case("skill", lambda: "---\n" + aliases() + "---\nx", "document.syntax"),
    "65 deep": case("skill", lambda: FRONT + "inputs: " + nested(65) + "\n---\nx", "limit.depth"),
    "half of a surrogate pair": case("skill", lambda: FRONT + "---\n\ud800", "document.syntax"),
    "10,000 inputs": case("skill", lambda: FRONT + "inputs:\n" + "".join(f"  - f{n}\n" for n in range(10_000)) + "---\nx", "document.invalid_value"),
    "40,000 unknown fields": case("skill", lambda: FRONT + "".join(f"instruction{n}: x\n" for n in range(30_000)) + "---\nx", "document.unknown_field"),
    "{% %} everywhere": case("skill", lambda: FRONT + f"model: '{EVERYWHERE}'\n---\n{EVERYWHERE} {{{{ x }}}} ${{Y}}"),
    "a tag": case("skill", lambda: FRONT + "tools: !!python/name:os.system\n---\nx", "document.syntax"),
    "a source of another world": case("source", lambda: '{"kind": "DOCUMENT", "managed": ' + nested(60) + "}", "document.invalid_value"),
}  # fmt: skip

DOCUMENTS: dict[str, Case] = {
    "more than a mebibyte": case("text", lambda: "a" * (MIB + 1), "document.unreadable"),
    "no UTF-8": case("text", lambda: b"\xff" * MIB, "document.unreadable"),
    "null bytes": case("text", lambda: b"\x00" * MIB, "document.unreadable"),
    "one word of a mebibyte": case("text", lambda: "a" * MIB),
    "half a million lines": case("text", lambda: "a\n" * (MIB // 2)),
    "a mebibyte of blanks": case("text", lambda: " " * MIB, "document.unreadable"),
    "a mebibyte of headings": case("markdown", lambda: "# a\n" * (MIB // 4)),
    "a mebibyte of #": case("markdown", lambda: "#" * MIB),
    "a mebibyte of backquotes": case("markdown", lambda: "`" * MIB),
    "a mebibyte of fences": case("markdown", lambda: "```\n" * (MIB // 4)),
    "headings that go deeper": case("markdown", lambda: "".join("#" * (n % 6 + 1) + f" {n}\n\ntext\n\n" for n in range(20_000))),
    "300,000 tags never closed": case("html", lambda: "<b>" * 300_000 + "x"),
    "300,000 lists in lists": case("html", lambda: "<ul><li>" * 120_000 + "x"),
    "a mebibyte of <": case("html", lambda: "<" * MIB),
    "a mebibyte of <!--": case("html", lambda: "<!--" * (MIB // 4), "document.unreadable"),
    "a mebibyte of &": case("html", lambda: "&" * MIB),
    "a mebibyte of attributes": case("html", lambda: "<a " + "b='c' " * (MIB // 6 - 10) + ">x</a>"),
    "a mebibyte of <a": case("html", lambda: "<a " * (MIB // 3), "document.unreadable"),
    "a mebibyte of </": case("html", lambda: "</" * (MIB // 2)),
    "100,000 columns": case("csv", lambda: ",".join(f"c{n}" for n in range(70_000)) + "\n" + "1," * 69_999 + "1\n", "document.unreadable"),
    "a quote never closed": case("csv", lambda: 'a,b\n"' + "x" * (MIB - 10), "document.unreadable"),
    "a mebibyte of commas": case("csv", lambda: "," * MIB, "document.unreadable"),
    "a mebibyte of quotes": case("csv", lambda: '"' * MIB, "document.unreadable"),
    "200,000 rows": case("csv", lambda: "a\n" + "1\n" * 200_000, "document.unreadable"),
    "a formula": case("csv", lambda: "a,b\n=cmd|'/c calc'!A1,@x\n"),
    "a line 100,000 deep": case("jsonl", lambda: nested(100_000), "document.unreadable"),
    "an object 100,000 deep": case("jsonl", lambda: nested(100_000, '{"a":', "}"), "document.unreadable"),
    "a number of a mebibyte": case("jsonl", lambda: '{"a": ' + "9" * 900_000 + "}", "document.unreadable"),
    "NaN": case("jsonl", lambda: '{"a": NaN}', "document.unreadable"),
    "half of a surrogate pair": case("jsonl", lambda: '{"a": "\\ud800"}', "document.unreadable"),
    "a key twice": case("jsonl", lambda: '{"a": 1, "a": 2}', "document.unreadable"),
    "a star of triples": case("triples", lambda: "subject,predicate,object\n" + "a,b,c\n" * 19_000),
    "triples without objects": case("triples", lambda: "subject,predicate\na,b\n", "document.unreadable"),
}  # fmt: skip

BODIES: dict[str, Case] = {
    "no UTF-8": case("start", lambda: b'{"input": "\xff"}', "request.malformed"),
    "null bytes": case("start", lambda: b"\x00" * 1000, "request.malformed"),
    "more than a mebibyte": case("start", lambda: '{"input": "' + "x" * MIB + '"}', "document.too_large"),
    "100,000 deep": case("start", lambda: nested(100_000), "request.malformed"),
    "an object 100,000 deep": case("start", lambda: nested(100_000, '{"input":', "}"), "request.malformed"),
    "301 deep": case("start", lambda: '{"input":' + nested(300) + "}", "request.malformed"),
    "a key twice": case("start", lambda: '{"input": {}, "input": {}}', "request.malformed"),
    "NaN": case("start", lambda: '{"input": NaN}', "request.malformed"),
    "a number of a mebibyte": case("start", lambda: '{"version": ' + "9" * 900_000 + "}", "request.malformed"),
    "1e999": case("start", lambda: '{"version": 1e999}', "request.invalid"),
    "a version of 400 digits": case("start", lambda: '{"version": ' + "9" * 400 + "}", "request.invalid"),
    "a text for a version": case("start", lambda: '{"version": "1"}', "request.invalid"),
    "half of a surrogate pair in a key": case("start", lambda: '{"\\ud800": 1}', "request.malformed"),
    "100,000 unknown members": case("start", lambda: "{" + ",".join(f'"k{n}":1' for n in range(90_000)) + "}", "request.invalid"),
    "a proto": case("start", lambda: '{"__proto__": {"admin": true}}', "request.invalid"),
    "both answers": case("answer", lambda: '{"output": {}, "error": {"code": "a b"}}', "request.invalid"),
    "half of a surrogate pair in a message": case("answer", lambda: '{"error": {"code": "c", "message": "\\ud800"}}', "request.invalid"),
    "20,000 documents": case("documents", lambda: json.dumps({"documents": [{"id": f"{n}.md", "text": "x"} for n in range(20_000)]}), "request.invalid"),
    "a path for an id": case("documents", lambda: '{"documents": [{"id": "../x.md", "text": "x"}]}', "request.invalid"),
    "{% %} everywhere": case("input", lambda: json.dumps({"input": {"text": EVERYWHERE, "any": {EVERYWHERE: "$.x"}}})),
    "half of a surrogate pair as a value": case("input", lambda: '{"input": {"text": "\\ud800"}}', "input.invalid"),
    "half of a surrogate pair in any": case("input", lambda: '{"input": {"any": ["\\udfff"]}}', "input.invalid"),
    "290 deep in any": case("input", lambda: '{"input": {"any": ' + nested(290) + "}}", "input.invalid"),
    "100,000 unknown fields": case("input", lambda: '{"input": {' + ",".join(f'"f{n}":1' for n in range(90_000)) + "}}", "input.invalid"),
    "300,000 wrong items": case("input", lambda: '{"input": {"list": [' + "1," * 300_000 + "1]}}", "input.invalid"),
    "a key of half a mebibyte before 200,000 items": case("input", lambda: '{"input": {"any": {"' + "k" * 500_000 + '": [' + "1," * 200_000 + "1]}}}"),
    "a key of half a mebibyte before 20,000 wrong items": case("input", lambda: '{"input": {"any": {"' + "k" * 500_000 + '": [' + "9e99," * 20_000 + "1]}}}", "input.invalid"),
    "2 to the power of 53": case("input", lambda: '{"input": {"any": 9007199254740992}}', "input.invalid"),
    "an input that is none": case("input", lambda: '{"input": [1]}', "input.invalid"),
}  # fmt: skip

ANSWERS: dict[str, Case] = {
    "brackets that never close": case("model", lambda: "{" * MIB, "llm.unstructured"),
    "keys that never end": case("model", lambda: '{"a":' * 200_000, "llm.unstructured"),
    "comments that never end": case("model", lambda: "{/*" * 300_000, "llm.unstructured"),
    "quotes that never end": case("model", lambda: '{"' * 500_000, "llm.unstructured"),
    "blanks without end": case("model", lambda: '{"a" ' + " " * MIB, "llm.unstructured"),
    "a number of a mebibyte": case("model", lambda: '{"a": ' + "9" * MIB + "}"),
    "fifty objects": case("model", lambda: '{"c": 1} ' * 100_000),
    "lists 100,000 deep": case("model", lambda: '{"a": ' + nested(100_000) + "}", "llm.unstructured"),
}

OTHERS: dict[str, Case] = {
    f"{case.kind}: {name}": case
    for group in (CANVASES, SKILLS, DOCUMENTS, BODIES, ANSWERS)
    for name, case in group.items()
}
