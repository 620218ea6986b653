"""Schemas, what fits what, and what a value has to be (LANGUAGE §3). Used when compiling and at run time."""
