"""For administrators."""
