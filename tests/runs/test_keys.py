"""Names of things in a run."""

from __future__ import annotations

import pytest

from loopstep.runs import keys


@pytest.mark.parametrize("run", ["r", "a-1", "a-1-2", "A_b-", "-", "x" * 70])
@pytest.mark.parametrize("epoch", [1, 2, 99_999_999])
def test_an_execution_is_named_after_its_run_and_epoch(run: str, epoch: int) -> None:
    name = keys.execution_name(run, epoch)
    assert keys.is_run_id(run)
    assert len(name) <= 80
    assert keys.run_of_execution(name) == (run, epoch)


@pytest.mark.parametrize(
    "name", ["", "r", "r-", "r-0", "r-01", "-1", "r-x", "r-123456789", "ü-1", "a b-1", "r-1\n", "r:1-1"]
)
def test_other_names_are_no_runs(name: str) -> None:
    assert keys.run_of_execution(name) is None


@pytest.mark.parametrize("run", ["", "x" * 71, "a b", "a/b", "ü", "a\n", "a#b"])
def test_what_is_no_run_id(run: str) -> None:
    assert not keys.is_run_id(run)


def test_a_message_keeps_its_id_and_sorts_by_time() -> None:
    first = keys.message_id("r", "n#", 1_700_000_000_000)
    assert first == keys.message_id("r", "n#", 1_700_000_000_000)
    ids = [keys.message_id("r", f"n#{number}", 1_700_000_000_000 + number) for number in range(0, 100_000, 997)]
    assert ids == sorted(ids)
    assert len({len(each) for each in ids}) == 1
    assert keys.message_id("other", "n#", 1_700_000_000_000) != first


def test_fences_are_spread_and_stable() -> None:
    used = {keys.fence_of(f"n#{number}") for number in range(1000)}
    assert used == {keys.fence_key(number) for number in range(keys.FENCES)}
    assert keys.fence_of("n#1") == keys.fence_of("n#1")


def test_an_object_key_holds_no_separator_of_its_parts() -> None:
    key = keys.object_key("r", "n#0.3", 2, "f_客户/x", b"text")
    assert key.startswith("run/r/n%230.3/2/f_%E5%AE%A2%E6%88%B7%2Fx.")
    assert key.count("/") == 4
