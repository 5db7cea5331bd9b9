"""Searching among what directories have provisioned."""
