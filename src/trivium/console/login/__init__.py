"""Ways in: logging in, making an account, forgotten passwords, addresses."""
