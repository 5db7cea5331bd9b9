"""Logins kept elsewhere: providers of OpenID Connect that the operator names."""
