"""All node types, by name, in the order of LANGUAGE §7."""

from __future__ import annotations

from loopstep.nodes.agent import AGENT
from loopstep.nodes.condition import CONDITION
from loopstep.nodes.end import END
from loopstep.nodes.fan_out import FAN_OUT
from loopstep.nodes.join import JOIN
from loopstep.nodes.knowledge_retrieval import KNOWLEDGE_RETRIEVAL
from loopstep.nodes.list_files import LIST_FILES
from loopstep.nodes.llm import LLM
from loopstep.nodes.loop import LOOP
from loopstep.nodes.node_type import NodeType
from loopstep.nodes.pass_node import PASS
from loopstep.nodes.request_approval import REQUEST_APPROVAL
from loopstep.nodes.send_message import SEND_MESSAGE
from loopstep.nodes.set_variable import SET_VARIABLE
from loopstep.nodes.skill import SKILL
from loopstep.nodes.smart_action import SMART_ACTION
from loopstep.nodes.wait import WAIT

CATALOG: dict[str, NodeType] = {
    node_type.name: node_type
    for node_type in (
        SET_VARIABLE,
        SEND_MESSAGE,
        REQUEST_APPROVAL,
        WAIT,
        PASS,
        FAN_OUT,
        JOIN,
        LOOP,
        END,
        LIST_FILES,
        LLM,
        AGENT,
        SKILL,
        SMART_ACTION,
        KNOWLEDGE_RETRIEVAL,
        CONDITION,
    )
}
