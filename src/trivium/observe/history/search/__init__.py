"""Everybody's requests, searched by those who look after the gateway."""
