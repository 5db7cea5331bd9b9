"""The database: engine, transactions, schema and migrations."""
