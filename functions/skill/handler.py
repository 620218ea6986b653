"""The function of node type `skill`: a registered skill answers, in one call or with tools."""

from loopstep.registry.records import SKILL
from loopstep.runtime.behaviours.agent import Agent
from loopstep.runtime.composition import NodeFunction, worker

handler = NodeFunction(Agent(SKILL, worker()))
