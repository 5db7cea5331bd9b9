"""Videos listed for people: a user's own, and everybody's."""
