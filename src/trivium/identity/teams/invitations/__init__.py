"""People who are invited to a team by a letter to their address."""
