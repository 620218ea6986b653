"""`graph`: entry, nodes, edges (LANGUAGE §2, §8); how many there may be."""

from __future__ import annotations

from loopstep.compiler import read
from loopstep.compiler.grammar import MAPPINGS
from loopstep.compiler.limits import MAX_EDGES, MAX_NODES
from loopstep.compiler.model import Edge, Endpoint, Entry, Expr, Node, ValueExpr
from loopstep.compiler.parse_node import node
from loopstep.compiler.parse_values import expression, values
from loopstep.diagnostics.collector import Reporter
from loopstep.source.document import Mapping, Value

_GRAPH_KEYS, _GRAPH = MAPPINGS["graph"].keys
_EDGE, _ENTRY, _ENDPOINT = MAPPINGS["edge"].keys, MAPPINGS["entry"].keys, MAPPINGS["target"].keys

Graph = tuple[Entry | None, list[Node], list[Edge], frozenset[str]]


def graph(value: Value, report: Reporter) -> Graph:
    """(entry, nodes, edges, names of those that could not be read)."""
    mapping = read.mapping(value, "`graph`", report)
    if mapping is None:
        return None, [], [], _GRAPH_KEYS
    entries = mapping.entries
    read.keys(mapping, _GRAPH_KEYS, _GRAPH, "`graph`", report)
    broken = {name for name in _GRAPH if name not in entries}
    entry = _entry(entries["entry"], report) if "entry" in entries else None
    nodes = [node(item, report) for item in _list("nodes", MAX_NODES, entries, broken, report)]
    edges = [_edge(item, report) for item in _list("edges", MAX_EDGES, entries, broken, report)]
    return entry, nodes, edges, frozenset(broken)


def _list(name: str, most: int, entries: dict[str, Value], broken: set[str], report: Reporter) -> list[Value]:
    if name not in entries:
        return []
    found = read.sequence(entries[name], f"`{name}`", report)
    if found is None:
        broken.add(name)
        return []
    if len(found.items) > most:
        message = f"the plan has {len(found.items):,} {name}, at most {most:,} are allowed"
        report.error("limit.nodes", message, found, "split it into several plans")
    return found.items


def _entry(value: Value, report: Reporter) -> Entry:
    mapping = read.mapping(value, "`entry`", report)
    if mapping is None:
        return Entry(Endpoint("", "", value, value, value), None, value, valid=False)
    meant = read.keys(mapping, *_ENTRY, "`entry`", report)
    bindings, valid = _bindings(mapping, "input", meant, report)
    return Entry(_end(mapping, report), bindings, value, valid)


def _edge(value: Value, report: Reporter) -> Edge:
    mapping = read.mapping(value, "an edge", report)
    if mapping is None:
        nowhere = Endpoint("", "", value, value, value)
        return Edge("", nowhere, nowhere, None, None, value, valid=False)
    entries = mapping.entries
    meant = read.keys(mapping, *_EDGE, "an edge", report)
    name = read.identifier(entries["id"], "the edge id", report) if "id" in entries else ""
    source = _endpoint("source", mapping, report)
    target = _endpoint("target", mapping, report)
    when = expression(entries["when"], "`when`", report) if "when" in entries else None
    if "when" in meant:
        when = Expr("", None, value)
    bindings, valid = _bindings(mapping, "bindings", meant, report)
    return Edge(name, source, target, when, bindings, value, valid)


def _bindings(
    mapping: Mapping, name: str, meant: frozenset[str], report: Reporter
) -> tuple[dict[str, ValueExpr] | None, bool]:
    """(what is bound, None where left out or unreadable; whether it could be read)."""
    if name not in mapping.entries:
        return None, name not in meant
    found = values(mapping.entries[name], f"`{name}`", report)
    return found, found is not None


def _endpoint(name: str, edge: Mapping, report: Reporter) -> Endpoint:
    if name not in edge.entries:
        return Endpoint("", "", edge, edge, edge)
    value = edge.entries[name]
    mapping = read.mapping(value, f"`{name}`", report, "write it as `{nodeId: …, port: …}`")
    if mapping is None:
        return Endpoint("", "", value, value, value)
    read.keys(mapping, *_ENDPOINT, f"`{name}`", report)
    return _end(mapping, report)


def _end(mapping: Mapping, report: Reporter) -> Endpoint:
    entries = mapping.entries
    node_at, port_at = entries.get("nodeId", mapping), entries.get("port", mapping)
    node_id = read.word(node_at, "`nodeId`", report) if "nodeId" in entries else None
    port = read.word(port_at, "`port`", report) if "port" in entries else None
    return Endpoint(node_id or "", port or "", mapping, node_at, port_at)
