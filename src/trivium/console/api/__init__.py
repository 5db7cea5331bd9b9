"""Endpoints for programs: they authenticate by themselves and answer in JSON."""
