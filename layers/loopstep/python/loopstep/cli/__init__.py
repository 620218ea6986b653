"""The command line: one of the two faces of the services, the other is `loopstep.api`."""
