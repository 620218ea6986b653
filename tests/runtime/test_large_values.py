"""Values that no item and no payload could hold (ARCHITECTURE §4; LANGUAGE §9)."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import token

from loopstep.runs.items import item_size
from loopstep.runtime.failures import Failed

STRING = {"type": "string"}


def test_a_text_of_almost_a_megabyte_goes_through_state_and_message(world: Any) -> None:
    text = "größe " * 128_000  # 1,024,000 bytes, 0.9 MB of them ASCII
    world.start(input={"text": text})
    onward = world.invoke(
        "set_variable",
        {
            "id": "s",
            "input": {"text": STRING},
            "in": {"": {"text": ["ref", "plan", "input", "text"]}},
            "set": [[["text"], ["ref", "input", "text"]]],
            "state": {"text": STRING},
            "out": {"completed": [["e"]]},
        },
    )
    assert onward == token("s", "e")
    reply = world.invoke(
        "send_message",
        {
            "id": "m",
            "input": {"text": STRING},
            "in": {"e": {"text": ["ref", "state", "text"]}},
            "scope": "ops",
            "text": [{"e": ["ref", "input", "text"]}, "!"],
            "out": {"completed": [["f"]]},
        },
        onward,
    )
    assert len(str(reply)) < 4096
    assert world.state() == {"text": text}
    assert world.activation("s#")["wrote"] == {"text": text}
    assert world.activation("m#")["input"] == {"text": text}
    (message,) = world.messages()
    assert message["text"] == text + "!"
    assert max(item_size(item) for item in world.items()) < 8_000


def test_twenty_state_fields_of_thirty_kilobytes(world: Any) -> None:
    fields = {f"f{number:02d}": chr(97 + number) * 30_000 for number in range(20)}
    world.start(state=dict.fromkeys(fields, ""))
    first, second = dict(list(fields.items())[:10]), dict(list(fields.items())[10:])
    for node, part in (("a", first), ("b", second)):
        world.invoke(
            "set_variable",
            {
                "id": node,
                "set": [[[name], value] for name, value in part.items()],
                "state": dict.fromkeys(part, STRING),
            },
        )
    assert world.state() == fields
    assert world.activation("b#")["wrote"] == second
    assert all(item_size(item) < 201 * 1024 for item in world.items())
    inline = [name for name, value in world.items()[-1].items() if name.startswith("f_") and "S" in value]
    assert len(inline) == 6  # as many as fit: the largest went first, no more than needed
    kept = {"id": "c", "set": [[["f00"], ["ref", "state", "f19"]]], "state": {"f00": STRING}}
    world.invoke("set_variable", kept)
    assert world.state() == fields | {"f00": fields["f19"]}


def test_input_and_output_of_a_run_together_stay_within_one_item(world: Any) -> None:
    fields = {f"f{number}": "x" * 31_000 for number in range(6)}
    world.start(input=fields)
    contract = dict.fromkeys(fields, STRING)
    bindings = {name: ["ref", "plan", "input", name] for name in fields}
    world.invoke("end", {"id": "e", "input": contract, "in": {"": bindings}})
    assert world.run()["output"] == world.run()["input"] == fields
    assert all(item_size(item) < 201 * 1024 for item in world.items())


@pytest.mark.parametrize(("size", "fits"), [(5 * 1024 * 1024 - 2, True), (5 * 1024 * 1024 - 1, False)])
def test_one_value_has_at_most_five_mebibytes(world: Any, size: int, fits: bool) -> None:
    world.start(state={"big": "x" * size} if fits else {"big": "x"}, input={"half": "y" * (size // 2)})
    doubled = [{"e": ["ref", "plan", "input", "half"]}] * 2
    spec = {
        "id": "m",
        "scope": "ops",
        "text": [*doubled, "z" * (size - size // 2 * 2)],
        "out": {"completed": [["e"]], "failed": [["f"]]},
    }
    if fits:
        assert world.invoke("send_message", spec) == token("m", "e")
        return
    with pytest.raises(Failed, match=r"value\.too_large"):
        world.invoke("send_message", spec)
    assert world.messages() == []
    assert world.activation("m#")["edge"] == "f"


def test_values_that_race_for_one_activation_do_not_overwrite_each_other(world: Any) -> None:
    """Both invocations write their objects before one of them commits."""
    world.start(state={"n": 0, "text": ""})
    long = ["ref", "state", "source"]
    spec = {"id": "s", "set": [[["text"], long]], "state": {"text": STRING}}
    world.invoke("set_variable", {"id": "one", "set": [[["source"], "1" * 40_000]], "state": {"source": STRING}})

    def overtaken(name: str, arguments: Any, call: Any) -> Any:
        if name == "transact_write_items" and not world.reader().get_state("run-1").get("done"):
            both = [[["source"], "2" * 40_000], [["done"], True]]
            contract = {"source": STRING, "done": {"type": "boolean"}}
            world.invoke("set_variable", {"id": "two", "set": both, "state": contract})
            world.invoke("set_variable", spec)
        return call()

    world.invoke("set_variable", spec, hook=overtaken)
    assert world.state()["text"] == "2" * 40_000
    assert world.activation("s#")["wrote"] == {"text": "2" * 40_000}
