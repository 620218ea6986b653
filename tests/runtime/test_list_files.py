"""The node `list_files`: what its activation records, and what a repetition answers."""

from __future__ import annotations

from typing import Any

import pytest
from runtime_world import RUN, START, token

from loopstep.runtime.failures import Failed
from loopstep.runtime.working_directory import IGNORE_BYTES

LOOK = {"id": "look", "out": {"completed": [["listed"]]}}


def put(world: Any, path: str, body: bytes = b"1", run: str = RUN) -> None:
    world.s3.put_object(Bucket="values", Key=f"files/{run}/{path}", Body=body)


def test_the_files_are_its_output(world: Any) -> None:
    world.start()
    put(world, "b/客户.md")
    put(world, "a.txt")
    put(world, "secret/key")
    put(world, ".agentignore", b"secret/\n")
    put(world, "other.txt", run="run-2")
    assert world.invoke("list_files", LOOK) == token("look", "listed")
    record = world.activation("look#")
    assert record["output"] == {"files": ["a.txt", "b/客户.md"]}
    put(world, "later.txt")
    assert world.invoke("list_files", LOOK) == token("look", "listed")
    assert world.activation("look#") == record, "a repetition answers with what is recorded"


def test_no_files(world: Any) -> None:
    world.start()
    world.invoke("list_files", LOOK)
    assert world.activation("look#")["output"] == {"files": []}


def test_more_files_than_a_page_of_the_bucket(world: Any) -> None:
    world.start()
    for number in range(1003):
        put(world, f"{number:04d}")
    world.invoke("list_files", LOOK)
    assert world.activation("look#")["output"]["files"] == [f"{number:04d}" for number in range(1003)]


def test_an_ignore_file_that_is_too_large_fails_the_node(world: Any) -> None:
    world.start()
    put(world, "a.txt")
    put(world, ".agentignore", b"x" * (IGNORE_BYTES + 1))
    with pytest.raises(Failed):
        world.invoke("list_files", LOOK, START)
    assert world.activation("look#")["error"]["code"] == "value.too_large"
