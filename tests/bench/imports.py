"""(b) A node function's cold start, import and DynamoDB client, beside a process that only makes that client."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from loopstep.nodes.catalog import CATALOG
from tests.bench.figures import Figure, Measurement, Target, paired
from tests.bench.processes import AWS_LIKE, ROOT, TIMEOUT, Case, cpus, medians, rounds_of, walls

RATIO = Target("<=", 1.15)
NONE = Target("==", 0)
UNWANTED = ("pydantic", "yaml", "jinja2", "rich", "loopstep.compiler", "loopstep.source")
TITLE = "import of every node function and its DynamoDB client, beside a process that only makes the client"

CLIENT = "import boto3; boto3.client('dynamodb')"
HANDLER = "import handler"
# does importing the handler make the client, and what did it load?
PROBE = f"""
import gc, json, sys
import handler
names = [name for name in sys.modules for bad in {UNWANTED!r} if name == bad or name.startswith(bad + ".")]
made = any(type(each).__name__ == "DynamoDB" for each in gc.get_objects() if type(each).__module__ == "botocore.client")
print(json.dumps({{"unwanted": sorted(names), "client": made}}))
"""


def measure(rounds: int = 11, names: Sequence[str] | None = None) -> Measurement:
    """Time all node functions (or the named ones) beside the bare client, and list unwanted modules that they load."""
    functions = list(names) if names is not None else node_functions()
    probes = {name: probe(name) for name in functions}
    statements = {name: HANDLER if probes[name]["client"] else f"{HANDLER}; {CLIENT}" for name in functions}
    cases = [Case("bare client", _command(CLIENT), _environment(None))]
    cases += [Case(name, _command(statement), _environment(name)) for name, statement in statements.items()]
    spent = rounds_of(cases, rounds)
    bare, cpu = walls(spent["bare client"]), cpus(spent["bare client"])
    figures = [paired(f"{name} / bare client", walls(spent[name]), bare, RATIO) for name in functions]
    figures += [paired(f"processor time of {name} / bare client", cpus(spent[name]), cpu) for name in functions]
    unwanted = {name: probe["unwanted"] for name, probe in probes.items() if probe["unwanted"]}
    figures.append(Figure(f"functions that load {', '.join(UNWANTED)}", len(unwanted), "functions", NONE))
    notes = [f"{name} loads {', '.join(modules[:5])}" for name, modules in unwanted.items()]
    notes += [
        f"{name}: the client is made by the first call, measured after the import"
        for name in functions
        if not probes[name]["client"]
    ]
    return Measurement("imports", TITLE, tuple(figures), medians(spent), rounds, tuple(notes))


def node_functions() -> list[str]:
    """The node types that have a function, in alphabetical order."""
    return sorted(name for name in CATALOG if (ROOT / "functions" / name / "handler.py").is_file())


def _command(statement: str) -> tuple[str, ...]:
    return (sys.executable, "-c", statement)


def _environment(name: str | None) -> dict[str, str]:
    """The variables of a function, as Lambda sets them; our package and the function's folder on the path."""
    layer = ROOT / "layers" / "loopstep" / "python"
    folder = ROOT / "functions" / name if name else ROOT / "functions"
    return {
        **AWS_LIKE,
        "PYTHONPATH": f"{folder}:{layer}",
        "RUNS_TABLE": "runs",
        "PLANS_TABLE": "plans",
        "VALUES_BUCKET": "values",
        "EVENT_BUS": "bus",
        "RUN_RETENTION_DAYS": "90",
        "AWS_LAMBDA_FUNCTION_NAME": f"loopstep-{name}",
        "LAMBDA_TASK_ROOT": str(folder),
        "POWERTOOLS_SERVICE_NAME": "loopstep",
        "POWERTOOLS_LOG_LEVEL": "INFO",
    }


def probe(name: str) -> dict[str, Any]:
    """What importing a function's handler does: `unwanted` modules that it loads, and whether it makes the `client`."""
    command = _command(PROBE)
    done = subprocess.run(command, env=_environment(name), capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise RuntimeError(f"{name}: importing the handler failed\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
