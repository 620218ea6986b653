"""The function of node type `wait`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.wait import Wait
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(Wait())
