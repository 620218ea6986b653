"""What AWS does and the emulator does not, one module a part of the cloud. Run by `strict.py`, see there.

`definitions` and `failures` are pure and can be imported anywhere; the others patch the emulator's modules.
"""
