"""Puts the parts together: from the settings, top to bottom, and closed in reverse."""
