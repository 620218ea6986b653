"""From a plan document to a state machine: load, parse, resolve, check, plan, emit."""
