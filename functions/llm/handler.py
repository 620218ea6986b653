"""The function of node type `llm`: one question to a model, and one more where the answer has another form."""

from loopstep.runtime.behaviours.llm import Llm
from loopstep.runtime.composition import NodeFunction, directories, models

handler = NodeFunction(Llm(models(), directories()))
