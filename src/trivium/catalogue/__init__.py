"""Channels, models, price groups and routing rules in the database, beside those of the file."""
