"""Teams: organisations, the teams in them, and who belongs to which."""
