"""Passkeys: logins that a device proves by a signature, bound to our origin."""
