"""Codes that can be turned into balance, once."""
