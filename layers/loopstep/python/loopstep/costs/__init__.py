"""What runs of a plan cost on AWS, counted from the plan alone (`loopstep cost`)."""
