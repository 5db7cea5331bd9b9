"""Repairs of known deviations, one file per shape. Chosen by name in ``providers/quirks.py``."""
