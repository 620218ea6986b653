"""`list_files`: the paths in the Run's working directory (LANGUAGE §7, CANVAS §3.7)."""

from __future__ import annotations

from typing import Any

from loopstep.gateways.files import Files
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import VALUE_TOO_LARGE, NodeFailure
from loopstep.runtime.working_directory import TooLarge, WorkingDirectory


class ListFiles(Behaviour):
    """Outputs `files`, sorted, without what `.agentignore` leaves out.

    Where that file is too large to be read the node fails with `value.too_large`: nothing is shown that it may name.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    def act(self, situation: Situation, ready: Any) -> Effect:
        try:
            paths = WorkingDirectory(self._files, situation.head.run).list()
        except TooLarge as large:
            raise NodeFailure(VALUE_TOO_LARGE, str(large)) from None
        return Effect("completed", output={"files": paths})
