"""`make starts`: a thousand starts, sixteen at a time, while calls and processes on their way fail.

microburst stands between the functions that a start goes through and the emulator; their processes are killed; clients
hang up before the answer, ask again, and ask several times at once under one Idempotency-Key. Afterwards every start
that was accepted must be one run with one execution that has ended, and a run that nobody was told of must be found by
its key. A fault that never happened fails the proof as well.
"""
