"""The function of node type `condition`: a model says which of several conditions holds."""

from loopstep.runtime.behaviours.condition import ConditionNode
from loopstep.runtime.composition import NodeFunction, models

handler = NodeFunction(ConditionNode(models()))
