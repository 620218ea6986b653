"""The node types: one file each, and the catalog of all. Shared by compiler, runtime, canvas and docs."""
