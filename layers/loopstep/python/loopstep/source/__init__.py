"""A plan document as values that know where they stand. Nothing below this package; YAML is read nowhere else."""
