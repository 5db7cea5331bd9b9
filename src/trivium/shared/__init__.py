"""State that workers and nodes share: the connection to Valkey or Redis."""
