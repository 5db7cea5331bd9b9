"""Secrets that are kept in stores elsewhere: one module for each, imported when one is named."""
