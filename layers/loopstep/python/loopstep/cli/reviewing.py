"""A repository's plans at two commits: what is wrong with the newer ones, and what is another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import NamedTuple

from loopstep.cli.git import Repository
from loopstep.cli.plan_files import ENDINGS, is_plan
from loopstep.cli.review_report import Reviewed, Side
from loopstep.comparing.change import Comparison
from loopstep.compiler.compile import Compiled, compile
from loopstep.diagnostics.diagnostic import ERROR, Diagnostic, has_errors

Documents = dict[str, bytes]  # by path below the repository's top


class Review(NamedTuple):
    """`found` is what there is to say of every plan, `changed` those that are another, new or gone."""

    documents: Documents
    found: Mapping[str, tuple[Diagnostic, ...]]
    changed: Sequence[Reviewed]

    @property
    def errors(self) -> int:
        """How many errors the plans have."""
        return sum(each.severity == ERROR for diagnostics in self.found.values() for each in diagnostics)

    @property
    def breaking(self) -> bool:
        """Whether some plan breaks its callers."""
        return any(each.comparison is not None and each.comparison.breaking for each in self.changed)


def review(repository: Repository, base: str | None, head: str | None, paths: Sequence[str] = ()) -> Review:
    """`base` and `head` are ids of commits; base None: nothing was there, head None: the files as they are."""
    documents = _plans(repository, head, paths)
    compiled = {path: compile(document) for path, document in documents.items()}
    earlier = _plans(repository, base, paths) if base is not None else {}
    found = {path: each.diagnostics for path, each in compiled.items()}
    return Review(documents, found, _changed(earlier, documents, compiled))


def _plans(repository: Repository, commit: str | None, paths: Sequence[str]) -> Documents:
    found: Documents = {}
    for path in repository.files(commit):
        if not path.endswith(ENDINGS) or (paths and not any(fnmatch(path, each) for each in paths)):
            continue
        data = repository.read(commit, path)
        if data is not None and is_plan(data):
            found[path] = data
    return found


def _changed(earlier: Documents, documents: Documents, compiled: Mapping[str, Compiled]) -> list[Reviewed]:
    """By path."""
    found = []
    for path in sorted({*earlier, *documents}):
        if earlier.get(path) != documents.get(path):
            before = compile(earlier[path]) if path in earlier else None
            after = compiled.get(path)
            found.append(Reviewed(path, _side(before), _side(after), _comparison(before, after)))
    return found


def _side(compiled: Compiled | None) -> Side | None:
    return None if compiled is None else Side(compiled.diagnostics, _graph(compiled))


def _graph(compiled: Compiled) -> str:
    from loopstep.drawing.chart import chart_of
    from loopstep.drawing.mermaid import mermaid
    from loopstep.services.describe_graph import describe_graph

    if compiled.plan is None or compiled.program is None:
        return ""
    return mermaid(chart_of(describe_graph(compiled.plan, compiled.program)))


def _comparison(before: Compiled | None, after: Compiled | None) -> Comparison | None:
    from loopstep.comparing.compare import compare

    if before is None or after is None or before.plan is None or after.plan is None:
        return None
    if has_errors(before.diagnostics) or has_errors(after.diagnostics):
        return None
    return compare(before.plan, after.plan)
