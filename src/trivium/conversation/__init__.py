"""The canonical conversation, whatever shape it came in. Imports nothing of ours; no I/O, clock or
randomness.
"""
