"""The function of node type `send_message`: an activation's token and spec in, the next token out."""

import os

from loopstep.gateways import clients
from loopstep.gateways.events import EventBus
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.composition import NodeFunction

handler = NodeFunction(SendMessage(EventBus(clients.events, os.environ["EVENT_BUS"])))
