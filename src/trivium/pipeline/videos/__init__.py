"""The video operations: create, remix, read, list, delete, fetch the files."""
