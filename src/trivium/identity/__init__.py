"""Who is asking: users, gateway keys and their hashes."""
