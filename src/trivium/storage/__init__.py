"""The database itself: engine, migrations."""
