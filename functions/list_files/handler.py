"""The function of node type `list_files`."""

from loopstep.runtime.behaviours.list_files import ListFiles
from loopstep.runtime.composition import NodeFunction, run_files

handler = NodeFunction(ListFiles(run_files()))
