"""What a user let others do, and has beside keys and logins."""
