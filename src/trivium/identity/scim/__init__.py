"""Directories that say who there is and who is in which team: SCIM 2.0 (RFC 7643, RFC 7644)."""
