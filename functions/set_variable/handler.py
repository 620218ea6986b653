"""The function of node type `set_variable`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.set_variable import SetVariable
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(SetVariable())
