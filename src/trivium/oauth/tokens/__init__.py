"""Exchanges codes for tokens, and says what tokens open."""
