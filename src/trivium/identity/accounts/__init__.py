"""How people get in: passwords, sessions, second factors, passkeys, logins kept elsewhere."""
