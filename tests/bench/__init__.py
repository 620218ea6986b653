"""`make bench`: what loopstep costs, beside the tool or the hand-written machine that one would use instead.

One module a measurement; each has `measure(rounds, …) -> Measurement`. Machines are noisy: everything that is compared
runs in the same rounds, in shuffled order, and what counts is the median of the rounds' ratios.
"""
