"""Pages that change channels, models, price groups and routing rules of the database."""
