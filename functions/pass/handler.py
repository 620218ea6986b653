"""The function of node type `pass`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.pass_on import PassOn
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(PassOn())
