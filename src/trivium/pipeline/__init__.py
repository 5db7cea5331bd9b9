"""Serves a request: calls the folders above this one, in order."""
