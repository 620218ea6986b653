"""`set_variable`: which paths it may write, and what that makes sure (LANGUAGE §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopstep.compiler.flow import Write
from loopstep.compiler.model import Assignment, ValueExpr, is_unknown
from loopstep.compiler.values import Judged
from loopstep.diagnostics.collector import Reporter, related
from loopstep.diagnostics.suggest import listed, nearest
from loopstep.expressions.ast import Reference
from loopstep.expressions.faults import ExprFault
from loopstep.expressions.scope import ROOTS, Scope
from loopstep.types.schema import Fields, Schema

UNDECLARED, DUPLICATE = "state.undeclared", "state.duplicate_assignment"

Path = tuple[str, ...]


def declared(path: Path, state: Fields) -> tuple[Schema | None, int]:
    """(the schema at a state path, how many of its names are declared); None with all of them: of unknown type."""
    fields: Fields | None = state
    schema: Schema | None = None
    for length, name in enumerate(path):
        if fields is None or name not in fields:
            return None, length
        schema = fields[name]
        if is_unknown(schema):
            return None, len(path)
        fields = schema.properties if schema.type == "object" else None
    return schema, len(path)


def check_assignments(
    assignments: tuple[Assignment, ...],
    state: Fields | None,
    judge: Callable[[ValueExpr, Schema | None, str], Judged],
    reporter: Reporter,
) -> list[Judged]:
    """Judges every assigned value against its path; `state` None: its contract could not be read."""
    judged = []
    earlier = _Earlier()
    for assignment in assignments:
        path, schema = assignment.path, None
        if path is not None:
            if state is not None:
                schema, known = declared(path, state)
                if known < len(path):
                    _undeclared(path, known, state, assignment, reporter)
            _duplicates(path, assignment, earlier, reporter)
        judged.append(judge(assignment.value, schema, "state." + ".".join(path or ("?",))))
    return judged


def _undeclared(path: Path, known: int, state: Fields, assignment: Assignment, reporter: Reporter) -> None:
    name, before = path[known], ".".join(path[:known])
    inside = state if not known else _fields(path[:known], state)
    message = f"state declares no `{'.'.join(path[: known + 1])}`"
    near = nearest(name, inside or {})
    if near:
        hint = f"did you mean `{'.'.join((*path[:known], near))}`?"
    elif not known and name in ROOTS:
        hint = (
            "only state can be assigned: write the path without `state.`"
            if name == "state"
            else "only state can be assigned"
        )
    elif inside:
        hint = f"{before or 'state'} has {listed(inside)}"
    else:
        hint = f"declare the properties of `{before}` first" if before else "declare it under `state`"
    reporter.error(UNDECLARED, message, assignment.path_at, hint)


def _fields(path: Path, state: Fields) -> Fields | None:
    schema, _ = declared(path, state)
    return schema.properties if schema is not None else None


class _Earlier:
    """The assignments seen so far, by their path and by the beginnings of their path."""

    def __init__(self) -> None:
        self.at: dict[Path, Assignment] = {}
        self.below: dict[Path, Assignment] = {}

    def collides(self, path: Path) -> Assignment | None:
        """The first assignment to the path, to one of its beginnings, or to a part of it."""
        beginnings = (path[:length] for length in range(1, len(path) + 1))
        return next((self.at[one] for one in beginnings if one in self.at), self.below.get(path))

    def add(self, path: Path, assignment: Assignment) -> None:
        self.at.setdefault(path, assignment)
        for length in range(1, len(path)):
            self.below.setdefault(path[:length], assignment)


def _duplicates(path: Path, assignment: Assignment, earlier: _Earlier, reporter: Reporter) -> None:
    """Two assignments to one path, or to a path and its part."""
    first = earlier.collides(path)
    if first is not None:
        other = related(f"assigned here as `{'.'.join(first.path or ())}`", first.path_at)
        message = f"`{'.'.join(path)}` is assigned twice: all assignments of a node are one write"
        reporter.error(DUPLICATE, message, assignment.path_at, "keep one of them", (other,))
    earlier.add(path, assignment)


# -- definite assignment -----------------------------------------------------------------------------------------


def state_writes(assignments: tuple[Assignment, ...] | None, state: Fields | None, scope: Scope) -> list[Write]:
    """What a node makes sure on its `completed` port. `scope` proves nothing about state.

    What could not be read or is not declared may be meant for any path.
    """
    if assignments is None or state is None:
        return [Write(None, True)]
    writes = []
    for assignment in assignments:
        path = assignment.path
        if path is None or declared(path, state)[1] < len(path):
            writes.append(Write(None, True))
            continue
        value = assignment.value
        source = _source(value, state, scope)
        parts = _parts(value, scope)
        writes.append(Write(".".join(path), source, tuple(".".join((*path, part)) for part in parts)))
    return writes


def _source(value: ValueExpr, state: Fields, scope: Scope) -> bool | str:
    """Whether an assigned value is present: True, False, or the state path on which that depends."""
    if value.convert is not None and value.convert.or_absent and value.default_at is None:
        return False
    if not isinstance(value.ast, Reference) or value.default_at is not None:
        return True
    found = scope.resolve(value.ast)
    if isinstance(found, ExprFault) or found.present:
        return True
    path = value.ast.path
    if path[0] != "state" or any(isinstance(step, int) for step in path):
        return False
    optional = 0
    fields: Fields | None = state
    for length, name in enumerate(path[1:], 1):
        schema = (fields or {})[str(name)]
        if not schema.guaranteed:
            optional = length
        fields = schema.properties
    return ".".join(str(step) for step in path[1 : optional + 1])


def _parts(value: ValueExpr, scope: Scope) -> list[str]:
    """Paths below a present object that are sure to be there in it."""
    if value.convert is not None or value.default_at is not None:
        return []
    if value.form == "value":
        return list(_literal_parts(value.literal))
    if not isinstance(value.ast, Reference):
        return []
    found = scope.resolve(value.ast)
    return [] if isinstance(found, ExprFault) or found.schema is None else list(_schema_parts(found.schema))


def _literal_parts(plain: Any) -> list[str]:
    if not isinstance(plain, dict):
        return []
    found = []
    for name, inner in plain.items():
        if inner is not None:
            found += [name, *(f"{name}.{part}" for part in _literal_parts(inner))]
    return found


def _schema_parts(schema: Schema) -> list[str]:
    found = []
    for name, inner in (schema.properties or {}).items():
        if inner.guaranteed:
            found += [name, *(f"{name}.{part}" for part in _schema_parts(inner))]
    return found
