"""The working directory's tools: list, read, write. Paths are the model's words; the directory checks every one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from loopstep.runtime.tools.limits import PATHS, RESULT_CHARACTERS
from loopstep.runtime.tools.tool import AgentTool, Refused, Unable
from loopstep.runtime.tools.weight import text_bytes
from loopstep.runtime.working_directory import FileFault, Ignored, UnsafePath, WorkingDirectory
from loopstep.types.schema import Schema

LIST, READ, WRITE = "list_files", "read_file", "write_file"

_READ_BYTES = 2 * 1024 * 1024  # of a file that is read, of which one part is shown
_SHOWN = RESULT_CHARACTERS - 200  # room for the line that says where the part is

_PATH = Schema("string", required=True, description="A relative path such as docs/report.md.", max_length=1024)


def file_tools(directory: WorkingDirectory) -> dict[str, AgentTool]:
    """The tools by name."""
    return {tool.name: tool for tool in (_list(directory), _read(directory), _write(directory))}


def _list(directory: WorkingDirectory) -> AgentTool:
    fields = {"under": Schema("string", description="Only paths that begin so.", max_length=1024)}
    return AgentTool(LIST, "List the files of the working directory, as paths.", fields, _told(directory, _listed))


def _read(directory: WorkingDirectory) -> AgentTool:
    start = Schema("integer", description="The character to begin at, 0 if left out.", minimum=0)
    about = f"Read a text file of the working directory, {_SHOWN} characters at a time."
    return AgentTool(READ, about, {"path": _PATH, "start": start}, _told(directory, _part))


def _write(directory: WorkingDirectory) -> AgentTool:
    fields = {"path": _PATH, "text": Schema("string", required=True, description="The whole text of the file.")}
    about = "Write a text file in the working directory, in place of what it held before."
    return AgentTool(WRITE, about, fields, _told(directory, _written))


def _listed(directory: WorkingDirectory, values: dict[str, Any]) -> str:
    paths = [path for path in directory.list() if path.startswith(values.get("under", ""))]
    more = [f"… and {len(paths) - PATHS} more"] if len(paths) > PATHS else []
    return "\n".join(paths[:PATHS] + more) or "no files"


def _part(directory: WorkingDirectory, values: dict[str, Any]) -> str:
    text, start = directory.read(values["path"], _READ_BYTES), values.get("start", 0)
    part = text[start : start + _SHOWN]
    if len(part) == len(text):
        return text
    if not part:
        return f"[the file has {len(text)} characters, none from {start} on]"
    return f"{part}\n[characters {start} to {start + len(part)} of {len(text)}]"


def _written(directory: WorkingDirectory, values: dict[str, Any]) -> str:
    directory.write(values["path"], values["text"])
    return f"written, {text_bytes(values['text'])} bytes"


def _told(
    directory: WorkingDirectory, act: Callable[[WorkingDirectory, dict[str, Any]], str]
) -> Callable[[dict[str, Any]], str]:
    def run(values: dict[str, Any]) -> str:
        with _faults():
            return act(directory, values)

    return run


@contextmanager
def _faults() -> Iterator[None]:
    """What the directory says, as an answer to the model: a path that it may not have is a call refused."""
    try:
        yield
    except (UnsafePath, Ignored) as fault:
        raise Refused(str(fault)) from None
    except FileFault as fault:
        raise Unable(str(fault)) from None
