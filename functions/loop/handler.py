"""The function of node type `loop`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.loop import Loop
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(Loop())
