"""The function of node type `smart_action`: a model carries out an instruction, in one call or with tools."""

from loopstep.runtime.behaviours.smart_action import SmartAction
from loopstep.runtime.composition import NodeFunction, worker

handler = NodeFunction(SmartAction(worker()))
