"""Suggested prices: what vendors are known to charge. Nothing applies until it is adopted."""
