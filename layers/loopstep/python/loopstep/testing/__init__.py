"""Cases of plans: the product's own functions and services in one process; tables, bucket and clock in memory."""
