"""What people and programs can ask for, one use case a file. Time, randomness and clients are handed in."""
