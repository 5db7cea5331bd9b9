"""Request records, read back by their own user."""
