"""Northwind, an invented vendor: a signature of its own, and a shape of its own."""
