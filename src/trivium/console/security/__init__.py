"""The pages for logins: passwords, second factors, passkeys, outside logins, sessions."""
