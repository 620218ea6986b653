"""From a Vue Flow document to a Canvas (CANVAS §1). Keys that say nothing about the workflow are passed over."""

from __future__ import annotations

import re

from loopstep.canvas.model import Canvas, CanvasEdge, CanvasNode
from loopstep.canvas.names import plan_ids
from loopstep.canvas.node_types import CANVAS_TYPES, CanvasType
from loopstep.canvas.read_fields import INVALID, MISSING, is_nothing, text_of, wanted, written
from loopstep.compiler.limits import MAX_EDGES, MAX_NODES
from loopstep.diagnostics.collector import Reporter, related
from loopstep.diagnostics.suggest import did_you_mean
from loopstep.source.document import Mapping, Scalar, Sequence, Value
from loopstep.types.forms import is_id

OTHERWISE = "otherwise"
_BRANCH = re.compile(r"branch[-_](0|[1-9][0-9]{0,3})")


def read_canvas(root: Value, report: Reporter) -> Canvas | None:
    """The canvas; None where it is no map with a list of nodes. Faults go to `report`."""
    if not isinstance(root, Mapping):
        report.error(INVALID, "a canvas is a map with `nodes` and `edges`", root)
        return None
    listed = _list(root, "nodes", report)
    if listed is None:
        return None
    if not listed.items:
        report.error("canvas.no_start", "there is no node to start from", listed, "add a node")
    edges_at = _list(root, "edges", report) if "edges" in root.entries else None
    if _too_many(listed, "nodes", MAX_NODES, report) or _too_many(edges_at, "edges", MAX_EDGES, report):
        return None
    edges_read = edges_at is not None or is_nothing(root.entries.get("edges"))
    nodes, whole = _nodes(listed, report)
    by_id: dict[str, CanvasNode] = {}
    for node in nodes:
        by_id.setdefault(node.id, node)
    known = {_id(item) for item in listed.items if isinstance(item, Mapping)}
    edges, sound = _edges(edges_at.items if edges_at else [], by_id, known if whole else None, report)
    own, title = text_of(root.entries.get("id")), text_of(root.entries.get("name"))
    name = next((one for one in (own, title) if is_id(one)), "")
    return Canvas(name, title or own, tuple(nodes), tuple(edges), root, whole and sound and edges_read, by_id)


def _list(root: Mapping, key: str, report: Reporter) -> Sequence | None:
    value = root.entries.get(key)
    if isinstance(value, Sequence):
        return value
    if is_nothing(value):
        if key == "nodes":
            report.error(MISSING, f"a canvas needs `{key}`", root)
        return None
    assert value is not None
    report.error(INVALID, f"`{key}` has to be a list", value)
    return None


def _too_many(listed: Sequence | None, what: str, most: int, report: Reporter) -> bool:
    """A plan could not hold them, and looking at so many pairs of them would take minutes."""
    if listed is None or len(listed.items) <= most:
        return False
    report.error("limit.nodes", f"a canvas has at most {most:,} {what}", listed, "split it into several canvases")
    return True


def _id(item: Mapping) -> str:
    """A node's id; numbers count as their text, as some editors write them."""
    value = item.entries.get("id")
    plain = value.value if isinstance(value, Scalar) else None
    return str(plain) if isinstance(plain, int) and not isinstance(plain, bool) else text_of(value)


# -- nodes -------------------------------------------------------------------------------------------------------


def _nodes(listed: Sequence, report: Reporter) -> tuple[list[CanvasNode], bool]:
    """The nodes that could be read, and whether that is all of them."""
    ids = [_id(item) if isinstance(item, Mapping) else "" for item in listed.items]
    first: dict[str, Mapping] = {}
    nodes: list[CanvasNode] = []
    sound = True
    for item, own, plan_id in zip(listed.items, ids, plan_ids(ids), strict=True):
        if not isinstance(item, Mapping):
            report.error(INVALID, "a node is a map, as `{id, type, data}`", item)
        elif not own:
            report.error(MISSING, "a node needs an `id`", item)
        elif own in first:
            other = (related("the first one", first[own].entries["id"]),)
            report.error("graph.duplicate_id", f"two nodes have the id `{own}`", item.entries["id"], "", other)
        elif (canvas_type := _type(item, report)) is not None:
            first[own] = item
            data = item.entries.get("data")
            if not isinstance(data, Mapping) and not is_nothing(data):
                report.error(INVALID, "`data` has to be a map", data if data is not None else item)
                sound = False
            nodes.append(_node(len(nodes), own, plan_id, canvas_type, item, report))
        else:
            first[own] = item
    return nodes, sound and len(nodes) == len(listed.items)


def _type(item: Mapping, report: Reporter) -> CanvasType | None:
    at = item.entries.get("type")
    if at is None:
        report.error(MISSING, "a node needs a `type`", item)
        return None
    name = text_of(at)
    if name not in CANVAS_TYPES:
        hint = did_you_mean(name, CANVAS_TYPES) or "one of " + ", ".join(CANVAS_TYPES)
        report.error(INVALID, f"there is no node type `{name}`" if name else "a node type is a text", at, hint)
        return None
    return CANVAS_TYPES[name]


def _node(index: int, own: str, plan_id: str, kind: CanvasType, item: Mapping, report: Reporter) -> CanvasNode:
    data = item.entries.get("data")
    if not isinstance(data, Mapping):
        data = None
    entries = data.entries if data is not None else {}
    outputs = kind.outputs(written(entries.get(kind.declares), report), data, report)
    inputs = () if kind.registers else wanted(entries.get(kind.wants), report)
    label = text_of(entries.get("label")) or text_of(item.entries.get("label"))
    title = own if plan_id != own else label if label != own else ""
    return CanvasNode(index, own, plan_id, kind, title.strip(), inputs, outputs, data, item)


# -- edges -------------------------------------------------------------------------------------------------------


def _edges(
    items: list[Value], by_id: dict[str, CanvasNode], known: set[str] | None, report: Reporter
) -> tuple[list[CanvasEdge], bool]:
    """The edges that could be read, each once, and whether that is all of them. `known` None: any id may be one."""
    ids = [_id(item) if isinstance(item, Mapping) else "" for item in items]
    first: dict[str, Value] = {}
    found: dict[tuple[int, int, str], CanvasEdge] = {}
    sound = True
    for item, own, plan_id in zip(items, ids, plan_ids(ids), strict=True):
        if not isinstance(item, Mapping):
            report.error(INVALID, "an edge is a map, as `{id, source, target}`", item)
            sound = False
            continue
        if own and first.setdefault(own, item) is not item:
            other = (related("the first one", first[own]),)
            report.error("graph.duplicate_id", f"two edges have the id `{own}`", item.entries["id"], "", other)
        source, target = (_end(item, key, by_id, known, report) for key in ("source", "target"))
        handle = _handle(item, source, report) if source is not None else None
        if source is None or target is None or handle is None:
            sound = False
            continue
        key = (source.index, target.index, handle)
        found.setdefault(key, CanvasEdge(plan_id, source.index, target.index, handle, item))
    return list(found.values()), sound


def _end(
    item: Mapping, key: str, by_id: dict[str, CanvasNode], known: set[str] | None, report: Reporter
) -> CanvasNode | None:
    at = item.entries.get(key)
    if at is None or is_nothing(at):
        report.error(MISSING, f"an edge needs a `{key}`", item)
        return None
    plain = at.value if isinstance(at, Scalar) else None
    name = str(plain) if isinstance(plain, int) and not isinstance(plain, bool) else text_of(at)
    if name not in by_id and known is not None and name not in known:
        hint = did_you_mean(name, by_id)
        report.error("canvas.unknown_node", f"this edge's {key} `{name}` is not on the canvas", at, hint)
    return by_id.get(name)


def _handle(item: Mapping, source: CanvasNode, report: Reporter) -> str | None:
    """The plan's port of a condition's handle; of other nodes handles say nothing."""
    if not source.type.branches:
        return ""
    at = item.entries.get("sourceHandle")
    name = text_of(at)
    if name == OTHERWISE:
        return OTHERWISE
    match, branches = _BRANCH.fullmatch(name), source.value("conditions")
    count = len(branches.items) if isinstance(branches, Sequence) else None
    if match is not None and (count is None or int(match[1]) < count):
        return f"branch_{match[1]}"
    handles = ", ".join([f"`branch-{i}`" for i in range(min(count or 0, 6))] + [f"`{OTHERWISE}`"])
    message = f"the condition `{source.id}` has no handle `{name}`" if name else f"`{source.id}` is left by a handle"
    report.error("graph.unknown_port", message, at if at is not None else item, f"it has {handles}")
    return None
