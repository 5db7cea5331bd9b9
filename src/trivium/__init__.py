"""Trivium: a model gateway. One address, three native request shapes, any upstream, one bill."""

__version__ = "0.1.0"
