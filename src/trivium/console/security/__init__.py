"""How somebody gets in, and who is in: passwords, factors, passkeys, outside logins, sessions."""
