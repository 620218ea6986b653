"""Checks of this machine: interpreter, project, environments, port, the local cloud's process. Nothing is changed."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator

from loopstep.cli import outcome, remote
from loopstep.cli.examination import FAILED, OK, SKIPPED, WARNING, Finding
from loopstep.cli.local import cloud, emulator, environments
from loopstep.cli.local import project as projects

OLDEST = (3, 11)
ROOM = 2 * 1024**3  # bytes that environments and builds may take


def examine_here() -> Iterator[Finding]:
    """One finding after the other; of the local cloud only where no other stack is named."""
    yield _interpreter()
    if os.environ.get(remote.URL):
        yield Finding("local cloud", SKIPPED, f"{remote.URL} names another stack")
        return
    try:
        project = projects.find()
    except outcome.Failure as fault:
        yield Finding("project", FAILED, fault.message, fault.hint)
        return
    if project is None:
        yield Finding("project", FAILED, "no project here", f"Go into its folder, or set {remote.URL}.")
        return
    yield Finding("project", OK, "found")
    yield _environments(project)
    yield _room(project)
    yield from _local_cloud(project)


def _interpreter() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST:
        return Finding("python", FAILED, version, "3.11 or later is needed: make PYTHON=… setup")
    return Finding("python", OK, version)


def _environments(project: projects.Project) -> Finding:
    if missing := environments.lacking(project):
        what = f"to be made anew: {', '.join(missing)}"
        return Finding("environments", WARNING, what, "`loopstep up` does it, which takes a minute or some.")
    return Finding("environments", OK, "emulator and SAM as pinned")


def _room(project: projects.Project) -> Finding:
    free = shutil.disk_usage(project.root).free
    detail = f"{free / 1024**3:.1f} GiB free"
    if free < ROOM:
        return Finding("disk", WARNING, detail, "Environments and builds take about 2 GiB.")
    return Finding("disk", OK, detail)


def _local_cloud(project: projects.Project) -> Iterator[Finding]:
    state = cloud.running(project)
    if state is None:
        yield _port()
        yield Finding("local cloud", WARNING, "not running", "`loopstep up` starts it.")
    elif not cloud.answers(state):
        detail = f"process {state['pid']} on port {state['port']} does not answer"
        yield Finding("local cloud", FAILED, detail, "`loopstep up` starts it anew.")
    elif not state["url"]:
        yield Finding("local cloud", WARNING, "not deployed yet", "`loopstep up` is at it, or goes on with it.")
    else:
        rules = "with AWS's rules" if state["strict"] else "plain"
        yield Finding("local cloud", OK, f"process {state['pid']} on port {state['port']}, {rules}")


def _port() -> Finding:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", emulator.PORT)) == 0:
            return Finding("port", WARNING, f"{emulator.PORT} is taken", "`loopstep up` takes another one.")
    return Finding("port", OK, f"{emulator.PORT} is free")
