"""State machines that released compilers wrote: the newest functions run each of them (`test_released.py`)."""
