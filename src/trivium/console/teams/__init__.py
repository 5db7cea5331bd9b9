"""Pages of teams, for whoever is in them and for administrators, by the rights of their roles."""
