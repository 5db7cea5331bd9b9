"""What is said, whatever wire it came by. Imports nothing of ours; no I/O, clock or randomness."""
