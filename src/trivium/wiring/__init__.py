"""Builds all parts of the gateway from the settings, top to bottom, and closes them in reverse."""
