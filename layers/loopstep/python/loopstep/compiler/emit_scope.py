"""Where a step's states stand: at the top level of the machine, or in one part of a fan_out's region."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from loopstep.compiler.program import Enclosing, FanOut, Program, Step
from loopstep.types.text import exchange_quotes

State = dict[str, Any]
Names = Callable[[str], str]
Chain = tuple[tuple[str, str], ...]  # (fan_out id, part), outermost first

RUN_FAILED = "run.failed"
TOKEN = "{% $states.input %}"
REPLY = "{% $states.result.Payload %}"
LAMBDA = "arn:aws:states:::lambda:invoke"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


def placeholder(name: str) -> str:
    """What stands for a resource until a stack is known: `set_variable` → `${SetVariable}`."""
    return "${" + "".join(word.capitalize() for word in name.split("_")) + "}"


def text(literal: str) -> str:
    """A literal where the engine takes text or an expression: an expression where the text could look like one."""
    return literal if _PLAIN.match(literal) else "{% " + json.dumps(literal, ensure_ascii=False) + " %}"


def spec_text(spec: dict[str, Any]) -> str:
    """One JSON text, its quotes exchanged (types.text): a definition is JSON itself.

    It begins with a brace and a quote, so no engine takes it, or a literal in it, for an expression. `${` is escaped,
    so that no deployment tool substitutes inside a plan's literal, and so are the characters that a validator's regular
    expression takes for the end of a line.
    """
    written = json.dumps(spec, ensure_ascii=False, separators=(",", ":")).replace("${", "\\u0024{")
    return exchange_quotes(_LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", written))


def led_to(states: dict[str, State]) -> set[str]:
    """The names that these states go on to; what stands inside a region goes on inside it."""
    found = {state[key] for state in states.values() for key in ("Next", "Default") if key in state}
    parts = (part for state in states.values() for key in ("Choices", "Catch") for part in state.get(key, ()))
    return found | {part["Next"] for part in parts}


def chain_of(step: Step) -> Chain:
    """The parts of regions that a step stands in; loops are cycles in one scope and do not count."""
    return tuple((each.node, each.part) for each in step.enclosing if each.kind != "loop")


def depth_of(enclosing: tuple[Enclosing, ...]) -> int:
    """How many numbers the path has there: one per loop and per fan_out over items (program.Enclosing)."""
    return sum(each.kind != "branches" for each in enclosing)


class Scope:
    """One `States` object: the program, and the region parts around it."""

    def __init__(self, program: Program, names: Names, chain: Chain = ()) -> None:
        self.program = program
        self.names = names
        self.chain = chain
        self.ends: dict[str, Step] = {}  # the failed ends that states of this scope lead to, by name
        self._numbers: dict[str, int] = {}  # of the copies of an end, over the whole machine

    def inside(self, fan_out: str, part: str) -> Scope:
        inner = Scope(self.program, self.names, (*self.chain, (fan_out, part)))
        inner._numbers = self._numbers
        return inner

    @property
    def fan_out(self) -> FanOut | None:
        """The innermost region around this scope."""
        return self.program.fan_outs[self.chain[-1][0]] if self.chain else None

    @property
    def tag(self) -> int:
        """Tells the states of a region's parts apart where they carry the join's name."""
        region = self.fan_out
        return region.parts.index(self.chain[-1][1]) if region else 0

    @property
    def arrival(self) -> str | None:
        """The state in which an edge into the join ends; None where a Task may end the part itself."""
        region = self.fan_out
        return f"{region.join}.arrive.{self.tag}" if region and region.mode != "all" else None

    @property
    def unhandled(self) -> str | None:
        """Where a failure goes that no edge takes; None where the part itself fails."""
        region = self.fan_out
        if region is None:
            return RUN_FAILED
        return f"{region.join}.lost.{self.tag}" if region.mode != "all" else None

    def arrives(self, target: str) -> bool:
        return self.fan_out is not None and target == self.fan_out.join

    def state_of(self, target: str) -> str:
        """The state that stands for a node here. A failed end may be shared by parts; each then has its own copy."""
        step = self.program.steps[target]
        if step.fail_code is None:
            return target
        for name, end in self.ends.items():
            if end.id == target:
                return name
        name = target
        if chain_of(step) != self.chain:
            number = self._numbers[target] = self._numbers.get(target, 0) + 1
            name = f"{target}.{number}"
        self.ends[name] = step
        return name

    def regions(self) -> list[list[Any]]:
        """For the node's spec, outermost first: join, length of the join's path, branch or None for items, mode."""
        found = []
        for name, part in self.chain:
            region = self.program.fan_outs[name]
            depth = depth_of(self.program.steps[name].enclosing)
            found.append([region.join, depth, part if region.kind == "branches" else None, region.mode])
        return found
