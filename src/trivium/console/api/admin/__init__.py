"""The admin API: users, keys and credit for scripts of administrators."""
