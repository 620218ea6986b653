"""What a measurement finds: figures, some with a target, and the medians they were made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """A bound to reach, the bound itself included."""

    relation: str  # "<=", ">=" or "=="
    bound: float

    def reached(self, value: float) -> bool:
        """Whether a value keeps the bound."""
        if self.relation == "==":
            return value == self.bound
        return value <= self.bound if self.relation == "<=" else value >= self.bound

    def __str__(self) -> str:
        return f"{self.relation} {self.bound:g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number and its unit; without a target it only informs."""

    name: str
    value: float
    unit: str
    target: Target | None = None
    spread: str = ""  # how far the rounds lay apart: their quartiles, in the figure's unit

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached, None where there is none."""
        return None if self.target is None else self.target.reached(self.value)

    def to_json(self) -> dict[str, Any]:
        """As it stands in results.json."""
        return {
            "figure": self.name,
            "value": self.value,
            "unit": self.unit,
            "target": str(self.target) if self.target else None,
            "reached": self.reached,
            "quartiles": self.spread or None,
        }


@dataclass(frozen=True, slots=True)
class Measurement:
    """All figures of one module, and the raw medians by case and unit."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    medians: Mapping[str, float] = field(default_factory=dict)
    rounds: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As it stands in results.json."""
        return {
            "title": self.title,
            "rounds": self.rounds,
            "figures": [figure.to_json() for figure in self.figures],
            "medians": dict(self.medians),
            "notes": list(self.notes),
        }


def paired(name: str, ours: Sequence[float], theirs: Sequence[float], target: Target | None = None) -> Figure:
    """The median of ours/theirs, round by round: what slows a whole round down cancels out."""
    return of_rounds(name, [mine / other for mine, other in zip(ours, theirs, strict=True)], "ratio", target)


def of_rounds(name: str, values: Sequence[float], unit: str, target: Target | None = None) -> Figure:
    """The median of one value a round, with the quartiles."""
    return Figure(name, median(values), unit, target, quartiles(values))


def quartiles(values: Sequence[float]) -> str:
    """The first and the third quartile, as text; nothing for fewer than four values."""
    if len(values) < 4:
        return ""
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 4]:.3g}..{ordered[-1 - len(ordered) // 4]:.3g}"


def slopes(times: Mapping[int, Sequence[float]], low: int, high: int) -> list[float]:
    """What one step more costs, round by round, between two sizes; in the times' unit."""
    return [(big - small) / (high - low) for small, big in zip(times[low], times[high], strict=True)]
