"""The token: all that the state machine carries (ARCHITECTURE §1). No text and no private data stand in it."""

from __future__ import annotations

from typing import Any, NamedTuple

from loopstep.runs.keys import activation_id

FAILED_PORTS = ("failed", "timed_out")  # left by a Catch: the engine saw an error, not a reply


class Token(NamedTuple):
    """What leads to a node: the run and its epoch, the path there, and the activation, port and edge left.

    `path` is "" at top level, else item indexes and loop iterations, outermost first, joined by points. `left` is the
    path of the activation left (`from` in JSON), which differs from `path` behind a loop or join. At the entry `node`,
    `left`, `port` and `edge` are "".
    """

    run: str
    epoch: int
    path: str = ""
    node: str = ""
    left: str = ""
    port: str = ""
    edge: str = ""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Token:
        """Read the token of an event; `seen` was the Choice's and is not read."""
        return cls(
            data["run"],
            int(data["epoch"]),
            data.get("path", ""),
            data.get("node", ""),
            data.get("from", ""),
            data.get("port", ""),
            data.get("edge", ""),
        )

    @property
    def source(self) -> str | None:
        """The id of the activation left, None at the entry."""
        return activation_id(self.node, self.left) if self.node else None

    def to_json(self, seen: list[Any] | None = None) -> dict[str, Any]:
        """The JSON of the token, with the operands that the port's conditions read."""
        data: dict[str, Any] = {
            "run": self.run,
            "epoch": self.epoch,
            "path": self.path,
            "node": self.node,
            "from": self.left,
            "port": self.port,
            "edge": self.edge,
        }
        return data if seen is None else data | {"seen": seen}


def numbers(path: str) -> list[int]:
    """The numbers of a path, outermost first."""
    return [int(part) for part in path.split(".")] if path else []


def deeper(path: str, number: int) -> str:
    """The path with one number more."""
    return f"{path}.{number}" if path else str(number)


def outer(path: str) -> str:
    """The path without its last number."""
    return path.rpartition(".")[0]
