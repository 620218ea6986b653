"""The function of node type `knowledge_retrieval`: an activation's token and spec in, the next token out."""

from loopstep.runtime.behaviours.knowledge_retrieval import KnowledgeRetrieval
from loopstep.runtime.composition import NodeFunction, knowledge, registry

handler = NodeFunction(KnowledgeRetrieval(registry(), knowledge()))
