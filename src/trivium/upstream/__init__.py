"""The only sockets to vendors: pool, calls, time limits."""
