"""What bounds a tool loop beside its steps, its tokens and its time. Characters are code points, bytes are UTF-8.

A model takes requests of a limited size and a function has limited memory: neither may depend on how much a model says.
"""

from __future__ import annotations

from typing import Final

CALLS: Final = 16  # tool calls of one reply that are carried out
HEARD: Final = 64  # and that are answered at all; what comes after these is only counted
INPUT_BYTES: Final = 200_000  # of the inputs in one reply, together
INPUT_DEPTH: Final = 32  # lists and objects inside one another in an input
INPUT_ENTRIES: Final = 100  # of an input's own fields
RESULT_CHARACTERS: Final = 20_000  # of one tool's result
RESULTS_CHARACTERS: Final = 100_000  # of the results for one reply, together
REFUSAL_CHARACTERS: Final = 600  # of a refusal or a failure, as the model hears it
SAID_CHARACTERS: Final = 50_000  # of what a model says beside its calls, as it is told again
CONVERSATION_BYTES: Final = 400_000  # of a request's messages: about 130,000 tokens
PATHS: Final = 1_000  # listed at once
SKILLS: Final = 50  # offered as tools at once

TOKENS: Final = 500_000  # of one activation, what goes in and what comes out; a stack may say otherwise
SHORTEST_SECONDS: Final = 1.0  # with less time left no call is begun
