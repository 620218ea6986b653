"""What the deployed API answers is what its own description says, whatever is asked (`make fuzz` asks much more)."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.fuzz.schema import ask
from tests.stack.conftest import DEPLOYED


@pytest.mark.skipif(DEPLOYED in os.environ, reason="it fills the stack that it asks with whatever fits")
def test_every_route_answers_as_described(state: Any) -> None:
    done = ask(state["url"], state["apiKey"], "fuzzing", 2, rate="10/s")
    assert done.returncode == 0, done.stdout + done.stderr
