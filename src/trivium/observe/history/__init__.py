"""Request records, read back by whoever they belong to."""
