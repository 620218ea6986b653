"""Inputs that are left out or lead to nothing: no fault, but the record says so (CANVAS §2, §4.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loopstep.runtime.behaviour import Situation
from loopstep.runtime.shown_names import own_name
from loopstep.runtime.working_directory import WorkingDirectory

_IS_THERE = {"filePath": WorkingDirectory.has_file, "directoryPath": WorkingDirectory.has_directory}


def path_warnings(situation: Situation, directory: Callable[[str], WorkingDirectory]) -> Iterator[str]:
    """One sentence for each input that was not convertible, and each path that is not in the run's working directory.

    `directory` gives that of a run, and is not asked where no input is a path.
    """
    yield from situation.lost
    for name, schema in situation.spec.fields.items():
        value, is_there = situation.input.get(name), _IS_THERE.get(schema.type)
        if is_there is not None and isinstance(value, str) and not is_there(directory(situation.head.run), value):
            yield f"{own_name(name, situation.spec.fields)}: {value} is not in the working directory"
