"""The user centre."""
