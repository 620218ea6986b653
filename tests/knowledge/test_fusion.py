"""Reciprocal rank fusion: places count, scores of different indexes do not."""

from __future__ import annotations

from loopstep.knowledge.fusion import fuse


def ranking(source: str, *scores: float) -> list[dict[str, object]]:
    return [{"id": f"{source}{n}", "content": "c", "score": score} for n, score in enumerate(scores)]


def test_rankings_are_interleaved_by_place() -> None:
    found = fuse([ranking("a", 900.0, 800.0, 700.0), ranking("b", 0.2, 0.1)], 4)
    assert [each["id"] for each in found] == ["a0", "b0", "a1", "b1"]
    assert found[0]["score"] == round(1 / 61, 7) and found[0]["metadata"] == {"sourceScore": 900.0}


def test_what_several_find_comes_first() -> None:
    both = {"id": "x", "content": "c"}
    found = fuse([[*ranking("a", 9.0, 8.0), both], [*ranking("b", 9.0), both]], 3)
    assert [each["id"] for each in found] == ["x", "a0", "b0"]


def test_one_ranking_stays_as_it_is() -> None:
    assert fuse([ranking("a", 3.0, 2.0)], 1) == [{"id": "a0", "content": "c", "score": 3.0}]
    assert fuse([[], ranking("a", 3.0)], 5)[0]["id"] == "a0"
