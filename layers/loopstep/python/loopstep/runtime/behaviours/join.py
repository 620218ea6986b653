"""`join`: merges what the parts of its region brought, or fails as they did (LANGUAGE §7, §8)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runs.joins import Joins
from loopstep.runs.records import Failure
from loopstep.runs.regions import Arrival, Broken, Quorum
from loopstep.runs.values import Stored, Values
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.closing import close_lost, lost_failure
from loopstep.runtime.edges import Decision
from loopstep.runtime.failures import JOIN_NO_WINNER, NODE_CRASHED, OUTPUT_CONTRACT, NodeFailure, sentences
from loopstep.runtime.region import ALL
from loopstep.runtime.times import moment
from loopstep.types.conform import conform_fields
from loopstep.types.schema import Schema


class JoinConfig(NamedTuple):
    """A join's half of its spec. `branches` None: over items. `need` arrivals decide one that takes the first."""

    fan_out: str
    mode: str
    need: int
    branches: tuple[str, ...] | None
    merge: dict[str, Closure]
    output: dict[str, Schema]

    def quorum(self, total: int) -> Quorum:
        """How many arrivals decide a join that takes the first ones."""
        return Quorum(self.need, total)

    def total(self, items: int | None) -> int:
        """How many parts there are; `items` is the fan_out's count."""
        return len(self.branches) if self.branches is not None else items or 0


def join_config(data: dict[str, Any]) -> JoinConfig:
    """The config of a parsed spec."""
    join = data["join"]
    branches = data.get("branches")
    return JoinConfig(
        join["fanOut"],
        join["mode"],
        join.get("count", 1),
        None if branches is None else tuple(branches),
        {name: compile_tree(tree) for name, tree in join.get("merge", {}).items()},
        {name: Schema.from_json(schema) for name, schema in data.get("output", {}).items()},
    )


class Join(Behaviour):
    """Decides by the records alone: arrivals, the race of those that take the first, the failure of mode all."""

    def __init__(self, joins: Joins, values: Values) -> None:
        self._joins, self._values = joins, values

    def prepare(self, data: dict[str, Any]) -> JoinConfig:
        return join_config(data)

    def checks_input(self, token: Any, spec: Any) -> bool:
        return False  # the input is what each arrival brought, and was checked there

    def ready(self, situation: Situation) -> dict[str, Any]:
        config: JoinConfig = situation.spec.config
        arrivals = self._counted(situation, config)
        values = self._values.read_all([_stored(each) for each in arrivals])
        brought = {each.part: value for each, value in zip(arrivals, values, strict=True)}
        data = situation.data | _merged(config, arrivals, brought)
        merged = {name: value for name, tree in config.merge.items() if (value := tree(data)) is not None}
        output, problems = conform_fields(merged, config.output)
        if problems:
            raise NodeFailure(OUTPUT_CONTRACT, sentences(problems))
        return output

    def act(self, situation: Situation, ready: dict[str, Any]) -> Effect:
        return Effect("completed", output=ready)

    def _counted(self, situation: Situation, config: JoinConfig) -> list[Arrival]:
        """The arrivals that count, in the order of the items or branches. Raises NodeFailure where the join fails."""
        items = situation.source.item_count if situation.source is not None else None
        total = config.total(items)
        arrivals = self._of_all(situation, total) if config.mode == ALL else self._first(situation, config, total)
        if config.branches is not None:
            arrivals.sort(key=lambda each: config.branches.index(each.part) if config.branches else 0)
        return arrivals

    def _of_all(self, situation: Situation, total: int) -> list[Arrival]:
        """Every part's arrival. Raises NodeFailure with the first failure recorded, or the one that nobody recorded."""
        run, join = situation.head.run, situation.activation
        standing = self._joins.standing(run, join)
        if standing.failure is None:
            arrivals = [each for each in self._joins.arrivals(run, join) if each.value is not None]
            if len(arrivals) == total:
                return arrivals
            broken = self._unrecorded(situation, f"{total - len(arrivals)} of {total} parts ended without an outcome")
            standing = self._joins.end(run, situation.token.epoch, join, broken)
        raise NodeFailure(*(standing.failure or Failure(NODE_CRASHED, "a part ended without an outcome")))

    def _first(self, situation: Situation, config: JoinConfig, total: int) -> list[Arrival]:
        """The arrivals that took a slot. Raises NodeFailure where they are too few, and no other can come any more."""
        run, join = situation.head.run, situation.activation
        self._joins.end(run, situation.token.epoch, join, config.quorum(total))
        arrivals = [each for each in self._joins.arrivals(run, join) if each.slot is not None]
        if len(arrivals) < config.need:
            raise NodeFailure(JOIN_NO_WINNER, _too_few(len(arrivals), total, config.need))
        return arrivals

    def _unrecorded(self, situation: Situation, otherwise: str) -> Broken:
        """Why the engine left a region whose records decide nothing: an activation whose function never ended it, which
        is closed here (ARCHITECTURE §3)."""
        run, join, epoch = situation.head.run, situation.activation, situation.token.epoch
        for record in self._joins.unsettled(run, join):
            failure, left = lost_failure(record, epoch, moment(situation.now)), ("failed", Decision(None, None))
            if record.open:
                place, now = (record.node, record.path), moment(situation.now)
                record = close_lost(self._joins.store, run, epoch, place, record, left, failure, now, f"{join} {epoch}")
            if record.error is not None and record.edge is None:
                return Broken(join, record.error, record.node, record.id)
        return Broken(join, Failure(NODE_CRASHED, otherwise), situation.spec.node)


def _too_few(arrived: int, total: int, need: int) -> str:
    needed = f"{need} {'is' if need == 1 else 'are'} needed"
    if total < need:
        return f"{total} {'item' if total == 1 else 'items'}, {needed}"
    return f"{arrived} of {total} parts arrived, {needed}"


def _stored(arrival: Arrival) -> Stored:
    assert arrival.value is not None
    return arrival.value


def _merged(config: JoinConfig, arrivals: list[Arrival], brought: dict[str, Any]) -> dict[str, Any]:
    """The roots that a merge reads (LANGUAGE §5)."""
    roots: dict[str, Any] = {"items": [brought[each.part] for each in arrivals]}
    if config.branches is not None:
        roots["branches"] = brought
    if config.mode != ALL:
        first = min(arrivals, key=lambda each: each.slot or 0)
        name = {"index": int(first.part)} if config.branches is None else {"branch": first.part}
        roots["winner"] = {**name, "result": brought[first.part]}
    return roots
