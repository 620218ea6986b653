"""`python -m tests.hostile.measure`: reads every case in a process of its own with limits, tells each as a line of JSON.

`{name, codes, seconds, died}`: `seconds` of the processor, `died` how the process ended where it gave no answer (the
signal, or the class of the exception). A process begins with everything loaded; its address space, all that included,
and its processor time are limited by the kernel.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from typing import Any

from tests.hostile.corpus import CASES
from tests.hostile.faces import FACES

SECONDS = 2
MEMORY = 256 * 1024 * 1024


def main(names: list[str]) -> None:
    """All cases, or the named ones."""
    for name in names or CASES:
        print(json.dumps({"name": name, **_measured(name)}), flush=True)


def _measured(name: str) -> dict[str, Any]:
    case = CASES[name]
    data = case.make()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _read(case.kind, data, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        told = pipe.read()
    _, status, usage = os.wait4(child, 0)
    seconds = round(usage.ru_utime + usage.ru_stime, 2)
    if os.WIFSIGNALED(status):
        return {"codes": None, "seconds": seconds, "died": signal.Signals(os.WTERMSIG(status)).name}
    return {"codes": None, "died": None, **json.loads(told), "seconds": seconds}


def _read(kind: str, data: bytes, writing: int) -> None:
    """In the child: read within the limits, and end without returning."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    try:
        told: dict[str, Any] = {"codes": sorted(FACES[kind](data))}
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        told = {"died": f"{type(error).__name__} at {where.name}:{where.lineno}"}
    os.write(writing, json.dumps(told).encode())
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
