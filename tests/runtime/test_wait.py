"""wait: the end is fixed once (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import token

from loopstep.runtime.failures import Failed


def spec(**config: Any) -> dict[str, Any]:
    return {"id": "w", "out": {"completed": [["e"]]}, **config}


@pytest.mark.parametrize(
    ("config", "until"),
    [
        ({"duration": "PT30S"}, "2026-03-01T12:00:30.000Z"),
        ({"duration": "PT0.5S"}, "2026-03-01T12:00:00.500Z"),
        ({"duration": "P365D"}, "2027-03-01T12:00:00.000Z"),
        ({"duration": "PT0S"}, "2026-03-01T12:00:00.000Z"),
        ({"until": "2026-03-01T15:00:00+02:00"}, "2026-03-01T13:00:00.000Z"),
        ({"until": "2020-01-01T00:00:00Z"}, "2026-03-01T12:00:00.000Z"),
    ],
)
def test_the_token_says_until_when(world: Any, config: dict[str, Any], until: str) -> None:
    world.start()
    assert world.invoke("wait", spec(**config)) == token("w", "e") | {"until": until}
    assert world.activation("w#")["until"] == until


def test_a_repetition_waits_for_the_same_moment(world: Any) -> None:
    world.start()
    first = world.invoke("wait", spec(duration=["ref", "state", "d"]) | {"duration": "PT10M"})
    world.pass_time(300)
    assert world.invoke("wait", spec(duration="PT10M")) == first


@pytest.mark.parametrize(
    "config",
    [
        {"duration": "P366D"},
        {"duration": "P1M"},
        {"duration": "soon"},
        {"duration": ["ref", "state", "absent"]},
        {"until": "2027-03-01T12:00:00.001Z"},
        {"until": "2028-01-01T00:00:00Z"},
        {"until": "9999-12-31T23:59:59Z"},
        {"until": "tomorrow"},
        {"until": 5},
    ],
)
def test_what_is_no_wait_of_at_most_a_year_is_invalid(world: Any, config: dict[str, Any]) -> None:
    world.start()
    with pytest.raises(Failed, match=r"wait\.invalid"):
        world.invoke("wait", spec(**config))
