"""The function of node type `agent`: a registered agent answers, in one call or with tools."""

from loopstep.registry.records import AGENT
from loopstep.runtime.behaviours.agent import Agent
from loopstep.runtime.composition import NodeFunction, worker

handler = NodeFunction(Agent(AGENT, worker()))
