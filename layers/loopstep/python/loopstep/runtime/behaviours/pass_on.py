"""`pass`: checks its input and hands it on (LANGUAGE §7)."""

from __future__ import annotations

from typing import Any

from loopstep.runtime.behaviour import Behaviour, Effect, Situation


class PassOn(Behaviour):
    """Leaves through `completed`; the wrapper has checked and records the input."""

    def act(self, situation: Situation, ready: Any) -> Effect:
        return Effect("completed")
