"""A plan's graph as a picture, from the data that `describe_graph` made when it was compiled."""

from __future__ import annotations

import json
from typing import Any

from loopstep.drawing.chart import chart_of
from loopstep.drawing.layout import lay_out
from loopstep.drawing.mermaid import mermaid
from loopstep.drawing.svg import svg
from loopstep.plans.store import PlanStore
from loopstep.services.read_plan import get_text

MERMAID, SVG = "mermaid", "svg"
MEDIA_TYPES = {MERMAID: "text/vnd.mermaid; charset=utf-8", SVG: "image/svg+xml; charset=utf-8"}


def draw_graph(graph: dict[str, Any], form: str, name: str = "") -> str:
    """The graph as an SVG document or as Mermaid text (`form`); `name` where the data has none."""
    chart = chart_of(graph, name)
    return mermaid(chart) if form == MERMAID else svg(lay_out(chart))


def draw_data(places: dict[str, Any]) -> str:
    """What `describe_places` gives as an SVG document."""
    from loopstep.drawing.areas import lay_out_data

    return svg(lay_out_data(places))


def draw_version(plans: PlanStore, name: str, number: int, form: str) -> str:
    """The graph of a published version. Raises Unknown `plan.unknown`, `plan.version_unknown`."""
    return draw_graph(json.loads(get_text(plans, name, number, "graph")), form, name)
