"""The function of node type `request_approval`: asks under a task token, and answers through it."""

import os

from loopstep.gateways import clients
from loopstep.gateways.events import EventBus
from loopstep.runtime.behaviours.request_approval import RequestApproval
from loopstep.runtime.composition import scopes, task_function

handler = task_function(RequestApproval(EventBus(clients.events, os.environ["EVENT_BUS"]), scopes()))
