"""`join`: merges what the parts of its region brought, or fails as they did (LANGUAGE §7, §8)."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.expressions.evaluate import Closure, compile_tree
from loopstep.runs.joins import Joins, Quorum
from loopstep.runs.regions import Arrival
from loopstep.runs.values import Stored, Values
from loopstep.runtime.behaviour import Behaviour, Effect, Situation
from loopstep.runtime.failures import JOIN_NO_WINNER, NODE_CRASHED, OUTPUT_CONTRACT, NodeFailure, sentences
from loopstep.runtime.region import ALL
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
        {name: compile_tree(tree) for name, tree in join["merge"].items()},
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
        run, join = situation.head.run, situation.activation
        standing = self._joins.standing(run, join)
        if standing.failure is not None:
            raise NodeFailure(*standing.failure)
        found = self._joins.arrivals(run, join)
        items = situation.source.item_count if situation.source is not None else None
        total = config.total(items)
        if config.mode == ALL:
            arrivals = [each for each in found if each.value is not None]
            if len(arrivals) < total:
                raise NodeFailure(NODE_CRASHED, f"{total - len(arrivals)} of {total} parts ended without an outcome")
        else:
            arrivals = [each for each in found if each.slot is not None]
            if len(arrivals) < config.need:
                raise NodeFailure(JOIN_NO_WINNER, f"{len(arrivals)} of {total} parts arrived, {config.need} are needed")
        if config.branches is not None:
            arrivals.sort(key=lambda each: config.branches.index(each.part) if config.branches else 0)
        return arrivals


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
