"""Sums of days that are closed, by fewer dimensions or by several days at once."""
