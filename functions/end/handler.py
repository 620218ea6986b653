"""The function of node type `end`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.end import End
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(End())
