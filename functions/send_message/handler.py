"""The function of node type `send_message`: sends, and with a callback waits for the answer under a task token."""

import os

from loopstep.gateways import clients
from loopstep.gateways.events import EventBus
from loopstep.runtime.behaviours.send_message import SendMessage
from loopstep.runtime.composition import scopes, task_function

handler = task_function(SendMessage(EventBus(clients.events, os.environ["EVENT_BUS"]), scopes()))
