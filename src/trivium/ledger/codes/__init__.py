"""Codes that whoever holds one may turn into balance, once."""
