"""What callers upload: kept in memory while it is small, else in a file without a name."""
