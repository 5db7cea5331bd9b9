"""Applications that users registered, and their secrets."""
