"""`make chaos`: plans run on a local cloud whose functions lose replies, are throttled and meet conflicts.

microburst stands between the functions and the emulator and fails calls by rules that a seed chooses. Afterwards every
run must have ended as its plan says and every effect, counted by id, must have happened once. A rule that never fired
fails the run as well: what was not tried is not proved. Same seed, same rules, runs and draws; the order in which
concurrent calls meet the rules is the machine's.
"""
